/** Programs that start another program given as their operands: how many words of theirs come first. */
import type { OptionSpec } from './options.ts';

export interface WrapperSpec extends OptionSpec {
  /** Operands before the command: a duration, a host, a lock file. */
  readonly skip?: number;
  /** With one of these (letters or long names) nothing is started: `command -v`, `chrt -p`. */
  readonly queries?: readonly string[];
  /** `NAME=value` words may stand before the command. */
  readonly settings?: boolean;
  /** The command is handed to a shell as one text. */
  readonly joins?: boolean;
  /** Options whose value is a script for a shell: `su -c`, `flock -c`. */
  readonly scripts?: readonly string[];
  /** Options whose value is the program itself: `start-stop-daemon --exec`. */
  readonly programs?: readonly string[];
  /** First operand must be one of these sub-commands: `npm exec`, `uv run`. */
  readonly verbs?: readonly string[];
  /** Sub-commands that may stand before the program, or not: `teller run cmd`, `dotenv cmd`. */
  readonly optionalVerbs?: readonly string[];
  /** Options may come again behind the operands that are skipped: `ssh host -p 22 cmd`. */
  readonly again?: boolean;
  /** Whatever follows `--` is a command too. */
  readonly dashes?: boolean;
  /** Keeps the started program apart from the terminal: nohup, setsid. */
  readonly detaches?: boolean;
  /** The same letter means other things to programs of this row: it is read both with and without a value. */
  readonly unsure?: boolean;
  /** Words that the sub-command takes before the program (after the verb). */
  readonly after?: OptionSpec & { readonly skip?: number };
}

const spec = (names: string, wrapper: WrapperSpec): [string, WrapperSpec][] => names.split(' ').map((name) => [name, wrapper]);

/** Keyed by program name. Arities are those of the programs' manuals (sudo 1.9, GNU coreutils 9, util-linux 2.40, moreutils). */
export const WRAPPERS: ReadonlyMap<string, WrapperSpec> = new Map<string, WrapperSpec>([
  ...spec('sudo sudo-rs sudoedit', {
    short: 'CDRTUghprtu', flags: 'ABbEeHiKklNnPSsVva', settings: true, queries: ['l', 'list', 'v', 'validate', 'K', 'remove-timestamp', 'V', 'version', 'e', 'edit'],
    long: ['close-from', 'chdir', 'chroot', 'command-timeout', 'other-user', 'group', 'host', 'prompt', 'role', 'type', 'user'],
    longFlags: ['askpass', 'background', 'bell', 'login', 'non-interactive', 'preserve-env', 'preserve-groups', 'set-home', 'shell', 'stdin', 'reset-timestamp', 'no-update'],
  }),
  ...spec('doas', { short: 'Cu', flags: 'nsLa', settings: true }),
  ...spec('pkexec', { long: ['user'], longFlags: ['disable-internal-agent', 'keep-cwd'] }),
  ...spec('run0', { short: 'ugDpT', long: ['user', 'group', 'unit', 'property', 'description', 'slice', 'nice', 'chdir', 'setenv', 'background', 'machine'] }),
  ...spec('env genv', { short: 'uCSP', flags: 'i0v', long: ['unset', 'chdir', 'split-string', 'argv0'], longFlags: ['ignore-environment', 'null', 'debug', 'block-signal', 'default-signal', 'ignore-signal'], settings: true, scripts: ['S', 'split-string'] }),
  ...spec('nohup', { detaches: true }),
  ...spec('setsid', { flags: 'cfw', longFlags: ['ctty', 'fork', 'wait'], detaches: true }),
  ...spec('daemonize', { short: 'cepulEo', flags: 'av', detaches: true }),
  ...spec('time gtime', { short: 'fo', flags: 'pavqlhV', long: ['format', 'output'], longFlags: ['portability', 'append', 'verbose', 'quiet'] }),
  ...spec('timeout gtimeout', { short: 'ks', flags: 'vfp', long: ['kill-after', 'signal'], longFlags: ['foreground', 'preserve-status', 'verbose'], skip: 1 }),
  ...spec('nice gnice', { short: 'n', flags: '0123456789', long: ['adjustment'] }),
  ...spec('ionice', { short: 'cnpPu', flags: 't', long: ['class', 'classdata', 'pid', 'pgid', 'uid'], longFlags: ['ignore'], queries: ['p', 'pid', 'P', 'pgid', 'u', 'uid'] }),
  ...spec('stdbuf gstdbuf', { short: 'ioe', long: ['input', 'output', 'error'] }),
  ...spec('chrt', { short: 'TPD', flags: 'abdfimorRvh', long: ['sched-runtime', 'sched-period', 'sched-deadline'], skip: 1, queries: ['p', 'pid', 'm', 'max'] }),
  ...spec('taskset', { flags: 'ach', skip: 1, longFlags: ['all-tasks', 'cpu-list'], queries: ['p', 'pid'] }),
  ...spec('chroot', { long: ['userspec', 'groups'], longFlags: ['skip-chdir'], skip: 1 }),
  ...spec('unshare', { short: 'RwSG', attached: 'munpUiCT', flags: 'frc', long: ['root', 'wd', 'setuid', 'setgid', 'propagation', 'setgroups', 'map-user', 'map-group', 'map-users', 'map-groups', 'monotonic', 'boottime'], longFlags: ['fork', 'pid', 'mount', 'net', 'ipc', 'uts', 'user', 'map-root-user', 'map-current-user', 'map-auto', 'mount-proc', 'kill-child', 'keep-caps'] }),
  ...spec('nsenter', { short: 'tSG', attached: 'muinpUCTrwW', flags: 'aFZ', long: ['target', 'setuid', 'setgid'], longFlags: ['all', 'no-fork', 'mount', 'uts', 'ipc', 'net', 'pid', 'user', 'cgroup', 'time', 'root', 'wd', 'preserve-credentials'] }),
  ...spec('flock', { short: 'wEc', flags: 'sxnuoFv', long: ['timeout', 'wait', 'conflict-exit-code', 'command'], longFlags: ['shared', 'exclusive', 'nonblock', 'nb', 'unlock', 'close', 'no-fork', 'verbose'], skip: 1, scripts: ['c', 'command'] }),
  ...spec('exec', { short: 'a', flags: 'cl' }),
  ...spec('command', { flags: 'p', queries: ['v', 'V'] }),
  ...spec('builtin noglob nocorrect busybox busybox.static busybox-static toybox rtk', {}),
  ...spec('su-exec gosu setuidgid envuidgid s6-setuidgid', { short: 'uUbeoncdfprstm/', flags: 'vP012', skip: 1 }),
  ...spec('setpriv', { long: ['reuid', 'regid', 'groups', 'inh-caps', 'ambient-caps', 'bounding-set', 'securebits', 'pdeathsig', 'selinux-label', 'apparmor-profile', 'landlock-access', 'landlock-rule', 'seccomp-filter', 'ptracer'], longFlags: ['clear-groups', 'keep-groups', 'init-groups', 'no-new-privs', 'nnp', 'reset-env', 'dump'] }),
  ...spec('prlimit', { attached: 'cdefilmnqrstuvxy', short: 'p', flags: 'h', long: ['pid', 'output'], queries: ['p', 'pid'] }),
  ...spec('systemd-run', { short: 'pHMuEC', flags: 'PqrSGdtT', long: ['property', 'host', 'machine', 'unit', 'description', 'slice', 'uid', 'gid', 'nice', 'working-directory', 'setenv', 'on-active', 'on-boot', 'on-calendar', 'timer-property', 'path-property', 'service-type'], longFlags: ['user', 'system', 'scope', 'pty', 'pipe', 'wait', 'collect', 'no-block', 'quiet', 'remain-after-exit', 'same-dir', 'shell', 'send-sighup'], detaches: true }),
  ...spec('systemd-inhibit', { long: ['what', 'who', 'why', 'mode'], longFlags: ['list'] }),
  ...spec('caffeinate', { short: 'tw', flags: 'disum' }),
  ...spec('strace ltrace', { short: 'aebIopsSPEuOX', flags: 'cCdfFhiknqrtTvVwxyYzZ', long: ['trace', 'output', 'attach', 'user', 'env'] , queries: ['p'] }),
  ...spec('valgrind heaptrack', { longFlags: [] }),
  ...spec('hyperfine', { short: 'wrmMpSLncsu', flags: 'Ni', long: ['warmup', 'runs', 'min-runs', 'max-runs', 'prepare', 'cleanup', 'setup', 'conclude', 'shell', 'parameter-list', 'parameter-scan', 'export-json', 'export-markdown', 'export-csv', 'command-name'], scripts: ['p', 'prepare', 'cleanup', 'c', 'setup', 's'], joins: true }),
  ...spec('fakeroot fakechroot eatmydata unbuffer catchsegv dbus-run-session dbus-launch torsocks torify proxychains proxychains4 tsocks firejail proot xvfb-run rlwrap numactl cgexec cpulimit trickle softlimit setarch linux32 linux64 i386 x86_64 arch nocache chronic ifne tini dumb-init uutils sbase-box flatpak-spawn lima runcon cross-env cross-env-shell dotenv dotenvx env-cmd with-env doppler op infisical teller honcho forego volta devbox summon envconsul berglas sops mise rtx watchexec onchange chokidar nodemon reflex gow gsudo please', {
    short: 'CnrefgEmlsx', unsure: true, settings: true, programs: ['exec', 'x', 'command'], dashes: true, optionalVerbs: ['run', 'exec', 'x'],
    long: ['bind', 'ro-bind', 'dev', 'proc', 'chdir', 'setenv', 'profile', 'cpunodebind', 'membind', 'physcpubind', 'limit', 'server-args', 'config', 'env-file', 'ext', 'watch', 'ignore', 'exec', 'command'],
  }),
  ...spec('ld.so', { long: ['library-path', 'preload', 'inhibit-rpath', 'audit', 'argv0'], longFlags: ['list', 'verify', 'inhibit-cache'], queries: ['list', 'verify', 'help', 'version'] }),
  ...spec('entr', { flags: 'acdnprsxz', joins: true }),
  ...spec('rr', { verbs: ['record'], after: {} }),
  ...spec('xterm uxterm urxvt st foot kitty alacritty wezterm ghostty konsole gnome-terminal xfce4-terminal mate-terminal lxterminal tilix terminator wt ptyxis kgx', {
    short: 'etTgnwd', unsure: true, dashes: true, optionalVerbs: ['start', 'new-tab', 'nt', 'sp'], programs: ['e', 'x', 'execute', 'command'], long: ['command', 'execute', 'title', 'geometry', 'working-directory', 'profile', 'class', 'config-file', 'option'],
  }),
  ...spec('aws-vault aws-okta chamber', { verbs: ['exec'], dashes: true, long: ['backend', 'prompt', 'region', 'profile'], after: { short: 'bdt', flags: 'jns', long: ['duration', 'region', 'mfa-token', 'prompt'], skip: 1 } }),
  ...spec('saml2aws fnm', { verbs: ['exec'], dashes: true, short: 'a', long: ['idp-account', 'profile', 'using'], after: { short: 'a', long: ['idp-account', 'profile', 'using'] } }),
  ...spec('nvm', { verbs: ['exec'], after: { longFlags: ['silent'], skip: 1 } }),
  ...spec('consul', { verbs: ['lock'], after: { skip: 1 } }),
  ...spec('singularity apptainer', { flags: 'dsqv', verbs: ['exec'], after: { short: 'BHSWs', flags: 'eciCfpu', long: ['bind', 'home', 'env', 'env-file', 'overlay', 'pwd', 'scratch', 'workdir', 'network', 'mount'], longFlags: ['nv', 'rocm', 'contain', 'containall', 'cleanenv', 'fakeroot', 'writable', 'writable-tmpfs', 'no-home'], skip: 1 } }),
  ...spec('lerna nx', { verbs: ['exec'], dashes: true, long: ['scope', 'ignore', 'concurrency', 'since', 'projects', 'parallel'], longFlags: ['no-bail', 'stream', 'no-sort', 'no-private'], after: { long: ['scope', 'ignore', 'concurrency', 'since', 'projects', 'parallel'], longFlags: ['no-bail', 'stream', 'parallel'] } }),
  ...spec('buildah', { verbs: ['run'], after: { short: 'v', flags: 't', long: ['volume', 'user', 'mount', 'isolation', 'runtime', 'cap-add', 'cap-drop', 'hostname', 'network', 'workingdir', 'env'], skip: 1 } }),
  ...spec('pct', { verbs: ['exec'], dashes: true, after: { skip: 1 } }),
  ...spec('guix', { verbs: ['shell', 'environment'], dashes: true, after: {} }),
  ...spec('systemd-nspawn', { short: 'DiMuUSpELZ', attached: 'n', flags: 'bqxPaGj', long: ['directory', 'image', 'machine', 'user', 'bind', 'bind-ro', 'setenv', 'chdir', 'uuid', 'slice', 'property', 'port', 'network-interface'], longFlags: ['boot', 'quiet', 'ephemeral', 'as-pid2', 'private-network', 'keep-unit', 'volatile'] }),
  ...spec('envdir s6-envdir envchain with-lock-ex setlock lckdo', { flags: 'qn', skip: 1 }),
  ...spec('choom', { short: 'np', long: ['adjust', 'pid'], queries: ['p', 'pid'], dashes: true }),
  ...spec('uclampset', { short: 'mMp', flags: 'asR', queries: ['p', 'pid'] }),
  ...spec('run-one run-this-one keep-one-running gpg-agent systemd-cat', { short: 'tp', long: ['identifier', 'priority', 'options'], longFlags: ['daemon'] }),
  ...spec('retry', { short: 'tdms', long: ['times', 'delay', 'timeout', 'until', 'while'], dashes: true }),
  ...spec('pssh parallel-ssh', { short: 'hHlpoetxXO', flags: 'vAiPIg', long: ['hosts', 'host', 'user', 'par', 'outdir', 'errdir', 'timeout', 'options', 'extra-args', 'extra-arg'], longFlags: ['inline', 'askpass', 'print', 'verbose'], joins: true }),
  ...spec('pdsh clush dsh', { short: 'wxgXltufRMom', flags: 'abBLqvdSNk', joins: true }),
  ...spec('multipass', { verbs: ['exec'], dashes: true, after: { short: 'd', skip: 1 } }),
  ...spec('limactl', { verbs: ['shell'], after: { long: ['workdir', 'shell', 'tty'], skip: 1 } }),
  ...spec('chpst', { short: 'uUbeoncdfprstm/', flags: 'vP012' }),
  ...spec('faketime', { flags: 'fm', skip: 1 }),
  ...spec('bwrap', { dashes: true, unsure: true, short: 'CnrefgEmls' }),
  ...spec('direnv', { verbs: ['exec'], after: { skip: 1 } }),
  ...spec('asdf rbenv pyenv nodenv foreman', { verbs: ['exec', 'run'], after: {} }),
  ...spec('toolbox', { verbs: ['run'], after: { short: 'cdr', long: ['container', 'distro', 'release'] } }),
  ...spec('distrobox', { verbs: ['enter'], dashes: true, after: { short: 'nae', long: ['name'], skip: 1 } }),
  ...spec('machinectl', { verbs: ['shell'], after: { short: 'E', long: ['uid', 'setenv'], skip: 1 } }),
  ...spec('crictl', { short: 'rit', verbs: ['exec'], after: { flags: 'it', skip: 1 } }),
  ...spec('nix', { verbs: ['develop', 'shell'], dashes: true, after: { flags: 'c', longFlags: ['command'] } }),
  ...spec('watch', { short: 'nq', flags: 'bcdegprtwx', long: ['interval', 'equexit'], joins: true }),
  ...spec('ssh autossh slogin dbclient', { short: 'BbcDEeFIiJLlMmOopQRSWw', flags: '46AaCfGgKkMNnqsTtVvXxYy', skip: 1, joins: true, again: true }),
  ...spec('mosh', { short: 'p', long: ['ssh', 'port', 'predict', 'server', 'client'], skip: 1 }),
  ...spec('sshpass', { short: 'pfdP', flags: 'ehvV' }),
  ...spec('rsh rexec', { short: 'l', flags: 'n', skip: 1, joins: true }),
  ...spec('docker podman nerdctl', { short: 'cHl', flags: 'Dvr', long: ['config', 'context', 'host', 'log-level', 'tlscacert', 'tlscert', 'tlskey', 'url', 'connection', 'identity', 'namespace'], longFlags: ['debug', 'tls', 'tlsverify', 'remote'], verbs: ['exec', 'run', 'container'], after: CONTAINER_RUN() }),
  ...spec('ssh-agent', { short: 'aEtPO', flags: 'cDdksT' }),
  ...spec('docker-compose podman-compose', { short: 'fp', long: ['file', 'project-name', 'profile', 'env-file', 'project-directory', 'ansi', 'parallel', 'progress'], verbs: ['exec', 'run'], after: { ...CONTAINER_RUN(), short: 'aehlmpuvw', flags: 'dDitPqVT' } }),
  ...spec('kubectl oc k microk8s.kubectl', { short: 'nsv', long: ['namespace', 'context', 'cluster', 'kubeconfig', 'user', 'server', 'token', 'as', 'request-timeout'], verbs: ['exec', 'run', 'debug', 'rsh'], dashes: true, after: { short: 'cnfl', flags: 'itq', long: ['container', 'namespace', 'context', 'image', 'filename', 'overrides', 'labels', 'env', 'restart', 'pod-running-timeout', 'target', 'kubeconfig'], longFlags: ['stdin', 'tty', 'quiet', 'rm', 'attach', 'command'], skip: 1 } }),
  ...spec('lxc incus', { verbs: ['exec'], after: { long: ['env', 'mode', 'user', 'group', 'cwd'], skip: 1 } }),
  ...spec('lxc-attach', { short: 'nPfL', long: ['name', 'rcfile', 'lxcpath'] }),
  ...spec('adb', { short: 'st', verbs: ['shell', 'exec-out'], after: {}, joins: true }),
  ...spec('wsl', { short: 'duc', long: ['distribution', 'user', 'cd', 'exec', 'shell-type'], programs: ['e', 'exec'] }),
  ...spec('ip', { short: 'n', verbs: ['netns'], after: { skip: 2 } }),
  ...spec('npm pnpm yarn bun', { short: 'CFw', long: ['prefix', 'workspace', 'filter', 'dir', 'cwd', 'package'], verbs: ['exec', 'x', 'dlx'], dashes: true, after: { short: 'pcw', long: ['package', 'call', 'workspace'], longFlags: ['yes', 'no'] }, scripts: ['c', 'call'] }),
  ...spec('npx bunx pnpx', { short: 'pc', flags: 'yqn', long: ['package', 'call'], longFlags: ['yes', 'no', 'no-install', 'quiet', 'ignore-existing', 'bun'], scripts: ['c', 'call'] }),
  ...spec('uv poetry pipenv pdm hatch rye pixi', { long: ['directory', 'project', 'env', 'config'], short: 'CPe', verbs: ['run'], after: { short: 'pem', long: ['with', 'python', 'extra', 'group', 'env-file', 'package', 'environment', 'with-requirements', 'directory', 'project'] } }),
  ...spec('uvx', { short: 'p', long: ['from', 'with', 'python'] }),
  ...spec('conda mamba micromamba', { verbs: ['run'], after: { short: 'np', long: ['name', 'prefix', 'cwd'], flags: 'v', longFlags: ['no-capture-output', 'live-stream'] } }),
  ...spec('bundle bundler', { verbs: ['exec'], after: {} }),
  ...spec('nix-shell', { short: 'pIA', long: ['run', 'command', 'packages', 'attr', 'argstr', 'arg', 'keep'], scripts: ['run', 'command'], queries: [] }),
  ...spec('start-stop-daemon', { short: 'xanpudcrNkR', long: ['exec', 'startas', 'name', 'pidfile', 'chuid', 'chdir', 'retry', 'user', 'group', 'signal'], longFlags: ['start', 'background', 'make-pidfile', 'quiet'], programs: ['x', 'exec', 'a', 'startas'] }),
  ...spec('gdb lldb', { short: 'xpcb', long: ['command', 'pid', 'core', 'ex'], longFlags: ['args', 'batch', 'quiet'] }),
  ...spec('perf', { verbs: ['stat', 'record', 'trace'], after: { short: 'eoFcrIpCtu', long: ['event', 'output', 'freq', 'call-graph', 'repeat'] } }),
]);

function CONTAINER_RUN(): OptionSpec & { skip: number } {
  return {
    short: 'acehlmpuvwLT', flags: 'dDitPqV', skip: 1,
    long: ['add-host', 'attach', 'cap-add', 'cap-drop', 'cgroup-parent', 'cidfile', 'cpus', 'cpu-shares', 'cpuset-cpus', 'cpuset-mems', 'detach-keys', 'device', 'dns', 'entrypoint', 'env', 'env-file', 'expose', 'gpus', 'group-add', 'health-cmd', 'hostname', 'index', 'ip', 'ipc', 'label', 'link', 'log-driver', 'log-opt', 'mac-address', 'memory', 'memory-swap', 'mount', 'name', 'network', 'net', 'network-alias', 'pid', 'pids-limit', 'platform', 'publish', 'pull', 'restart', 'runtime', 'security-opt', 'shm-size', 'stop-signal', 'stop-timeout', 'storage-opt', 'sysctl', 'tmpfs', 'ulimit', 'user', 'userns', 'uts', 'volume', 'volumes-from', 'volume-driver', 'workdir', 'annotation', 'arch', 'os', 'secret'],
    longFlags: ['rm', 'interactive', 'tty', 'detach', 'init', 'privileged', 'publish-all', 'read-only', 'no-healthcheck', 'quiet', 'no-deps', 'service-ports', 'no-TTY', 'build', 'use-aliases'],
  };
}
