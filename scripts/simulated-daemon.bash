# To be sourced: fulcrumd on a simulated board, in a temporary directory that is gone at the end. As root, somebody who
# may do nothing runs it; the programs are copied to where that somebody can read them.
#   dir=$(simulated_dir NAME)    the directory; write $dir/fulcrumd.yaml, with state_dir $dir/state, runtime_dir $dir/run
#   start_daemon                 sets $daemon, its process; its log goes to $dir/log
#   ctl ...                      fulcrumctl
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

simulated_dir() {
  local made
  made=$(mktemp -d -t "fulcrum-$1.XXXXXX")
  mkdir "$made"/{bin,state,run} && cp "$top"/build/release/bin/{fulcrumd,fulcrum-worker,fulcrumctl} "$made/bin"
  if [ "$(id -u)" -eq 0 ]; then chmod 755 "$made" && chown nobody "$made"/{state,run}; fi
  echo "$made"
}

start_daemon() {
  local as=()
  if [ "$(id -u)" -eq 0 ]; then as=(setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups); fi
  "${as[@]}" "$dir/bin/fulcrumd" --config "$dir/fulcrumd.yaml" 2>>"$dir/log" &
  daemon=$!
  export FULCRUM_SOCKET=$dir/run/control.sock
  for _ in $(seq 100); do
    if ctl version >/dev/null 2>&1; then return 0; fi
    kill -0 "$daemon" 2>/dev/null || failed "fulcrumd has ended"
    sleep 0.1
  done
  failed "fulcrumd does not answer"
}

ctl() { "$dir/bin/fulcrumctl" "$@"; }
failed() { echo "$(basename "$0"): $1; the daemon's log:" >&2; tail -50 "$dir/log" >&2; exit 1; }
