cli-update-no-package = { $path } names no package of Aura: name the SHA256SUMS of a release
cli-update-newer = { $there } is newer than this program, which is { $here }. `aura docs install` says how its signature is checked and how it is installed.
cli-update-nothing-newer = Nothing newer: { $there } there, { $here } here.
