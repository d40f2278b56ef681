#!/usr/bin/python3
"""Trains a TorchScript file as a user of PyTorch would write it, and prints the loss of each step.

  train_in_python.py QUESTION    a JSON file: model, inputs (raw float32), targets (raw int64), shape of a sample,
                                 steps (lists of samples), optimizer, lr, options of the optimizer, seed
"""

import json
import sys

import torch
from torch.nn import functional

OPTIMIZERS = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam, "adamw": torch.optim.AdamW,
              "rmsprop": torch.optim.RMSprop}


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        question = json.load(file)
    torch.set_num_threads(1)
    with open(question["inputs"], "rb") as file:
        inputs = torch.frombuffer(bytearray(file.read()), dtype=torch.float32).view(-1, *question["shape"])
    with open(question["targets"], "rb") as file:
        targets = torch.frombuffer(bytearray(file.read()), dtype=torch.int64)
    model = torch.jit.load(question["model"])
    model.train()
    torch.manual_seed(question["seed"])
    optimizer = OPTIMIZERS[question["optimizer"]](model.parameters(), lr=question["lr"], **question["options"])
    losses = []
    for samples in question["steps"]:
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(inputs[samples]), targets[samples])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        answers = model(inputs).argmax(1)
    print(json.dumps({"losses": losses, "answers": answers.tolist()}))


main()
