#!/usr/bin/env python3
"""Loader throughput of PyTorch's DataLoader on the folder that `data_loading --folder` made, to be held against it.

Needs Debian's python3-torchvision.  data_loading --folder F && data_loading.py --folder F
"""
import argparse
import time

import torch
from PIL import Image
from torchvision import datasets, transforms


def grey(path):
    with Image.open(path) as image:
        return image.convert("L")


def samples_per_second(args, workers):
    prepare = transforms.Compose(
        [transforms.Resize(28), transforms.CenterCrop(28), transforms.ToTensor(), transforms.Normalize([0.5], [0.5])])
    loader = torch.utils.data.DataLoader(
        datasets.ImageFolder(args.folder, prepare, loader=grey), batch_size=args.batch_size, shuffle=True,
        num_workers=workers, persistent_workers=workers > 0,
        **({"prefetch_factor": args.prefetch} if workers > 0 else {}))
    samples = 0
    begin = 0.0
    for epoch in range(args.epochs + 1):
        if epoch == 1:
            begin = time.monotonic()
        for inputs, _ in loader:
            samples += len(inputs) if epoch > 0 else 0
    return samples / (time.monotonic() - begin)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--prefetch", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=2, help="that are counted")
    parser.add_argument("--workers", type=int, nargs="+", default=[0, 1, 2, 4])
    args = parser.parse_args()
    torch.set_num_threads(1)
    print(f"PyTorch {torch.__version__}, loading alone, batch {args.batch_size}")
    print(f"{'workers':>8} {'samples/s':>11}")
    for workers in args.workers:
        print(f"{workers:>8} {samples_per_second(args, workers):>11.0f}", flush=True)


if __name__ == "__main__":
    main()
