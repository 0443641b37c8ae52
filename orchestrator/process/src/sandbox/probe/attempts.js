// What must not work in the sandbox of a program, tried from Node as far as Node can.
// Arguments: a file that is not its own, a folder that is, another process, the level that the kernel is said to enforce.
const fs = require("fs"), os = require("os"), net = require("net"), dgram = require("dgram");
const { spawnSync } = require("child_process");
const path = require("path");
const [other, own, process_, level] = process.argv.slice(1);
const pid = Number(process_), folder = path.dirname(other), mine = path.join(own, "input");
const tried = [];
const refused = (error) => [error, error && error.info].some((said) => said && ["EPERM", "EACCES"].includes(said.code));
const say = (attempt, denied) => tried.push([attempt, denied ? "denied" : "not_denied"]);

// Denied when each of the jobs is.
function work(attempt, ...jobs) {
  let denied = true;
  for (const job of jobs) {
    try { job(); denied = false; } catch (error) { denied = denied && refused(error); }
  }
  say(attempt, denied);
}

const now = new Date();
work("read_other", () => fs.readFileSync(other));
work("list_other", () => fs.readdirSync("/"), () => fs.readdirSync(folder));
work("write", () => fs.writeFileSync(path.join(folder, "made"), ""), () => fs.mkdirSync(path.join(folder, "dir")));
work("truncate", () => fs.truncateSync(other, fs.statSync(other).size));
work("change_mode", () => fs.chmodSync(other, fs.statSync(other).mode & 0o7777));
work("change_owner", () => fs.chownSync(other, process.getuid(), process.getgid()), () => fs.lchownSync(other, process.getuid(), process.getgid()));
work("change_times", () => fs.utimesSync(other, now, now), () => fs.lutimesSync(other, now, now));
work("watch_names", () => fs.watch(folder).close());
work("read_own", () => fs.readFileSync(mine));
work("write_own", () => fs.writeFileSync(path.join(own, "note"), "x"), () => fs.copyFileSync(mine, path.join(own, "copy")));
const open = fs.openSync(mine, "r");
work("change_open_mode", () => fs.fchmodSync(open, 0o600), () => fs.futimesSync(open, now, now));
work("set_user_id", () => fs.fchmodSync(open, 0o4700));
say("open_to_others", (fs.statSync(path.join(own, "note")).mode & 0o077) === 0);
work("new_code", () => new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0))));
try { new ArrayBuffer(2304 * 2 ** 20); say("memory_beyond", false); } catch (error) { say("memory_beyond", error instanceof RangeError); }
work("read_process", () => fs.readFileSync(`/proc/${pid}/status`));
work("signal", () => process.kill(pid, 0));
work("priority", () => os.setPriority(pid, 0));
// The children of Node speak to it over pairs of streams.
const child = spawnSync("true");
say("fork", refused(child.error));
say("pair_of_streams", refused(child.error));
say("exec", refused(spawnSync(process.execPath, ["-e", ""]).error));

const asked = (attempt, begin) => new Promise((done) => {
  const end = (denied) => { say(attempt, denied); done(); };
  try { begin(end); } catch (error) { end(refused(error)); }
});
const connect = (to) => (end) => net.connect(to).on("connect", () => end(false)).on("error", (error) => end(refused(error)));
(async () => {
  await asked("tcp", connect({ host: "127.0.0.1", port: 9 }));
  await asked("unix", connect({ path: "/nobody-listens-here" }));
  await asked("listen", (end) => {
    const server = net.createServer().on("error", (error) => end(refused(error)));
    server.listen(0, "127.0.0.1", () => server.close(() => end(false)));
  });
  await asked("udp", (end) => {
    const socket = dgram.createSocket("udp4").on("error", (error) => end(refused(error)));
    socket.bind(0, "127.0.0.1", () => socket.close(() => end(false)));
  });
  console.log(JSON.stringify({ level, tried }));
  process.exit(0);
})();
