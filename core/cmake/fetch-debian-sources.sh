#!/usr/bin/env bash
# Gets the yaml-cpp source package that this Debian release ships, patched and verified by apt, without touching apt's
# own lists. Prints the source folder. Needs dpkg-dev. Usage: fetch-debian-sources.sh DEST
set -euo pipefail

dest=$(mkdir -p "$1" && cd "$1" && pwd)
find_tree() { find "$dest" -maxdepth 1 -type d -name 'yaml-cpp-*' -print -quit; }

tree=$(find_tree)
if [ -n "$tree" ]; then
  echo "$tree"
  exit 0
fi

# The machine's own sources, asked for source packages instead, in a private folder.
work=$(mktemp -d "$dest/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{parts,lists/partial,tree}
list='' parts=''
eval "$(apt-config shell list Dir::Etc::sourcelist/f parts Dir::Etc::sourceparts/d)"
for file in "$parts"*.sources; do
  [ -f "$file" ] || continue
  sed 's/^Types:.*/Types: deb-src/' "$file" >"$work/parts/${file##*/}"
done
for file in "$list" "$parts"*.list; do
  [ -f "$file" ] || continue
  sed -n 's/^deb /deb-src /p' "$file" >"$work/parts/${file##*/}"
done

options=(-qq -o Dir::Etc::sourcelist=none -o "Dir::Etc::sourceparts=$work/parts"
  -o "Dir::State::lists=$work/lists" -o APT::Sandbox::User=root -o Acquire::Retries=3)
apt-get "${options[@]}" update >&2
(cd "$work/tree" && apt-get "${options[@]}" source yaml-cpp >/dev/null)
mv "$work"/tree/yaml-cpp-*/ "$dest/"
find_tree
