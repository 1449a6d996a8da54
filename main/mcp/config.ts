/** `mcp_servers.<name>` of config.yaml (hermes-runtime 7.13), checked and with its variables filled in. */
import { z } from 'zod';
import { misspelt, problemWords } from './config-words.ts';

const Seconds = z.number().positive();
/** Models ask through a server only where the person has switched that on, and each time they agree (hermes-runtime 7.13). */
const Sampling = z.object({
  enabled: z.boolean().default(false), model: z.string().optional(), max_tokens_cap: z.int().positive().default(4_096), max_rpm: z.int().positive().default(10),
  timeout: Seconds.default(30), allowed_models: z.array(z.string()).default([]),
});
const Elicitation = z.object({ enabled: z.boolean().default(true), timeout: Seconds.default(300) });
const Common = {
  enabled: z.boolean().default(true),
  /** Of one call, in seconds; time in which a person is asked does not count. */
  timeout: Seconds.default(300),
  connect_timeout: Seconds.default(60),
  keepalive_interval: z.number().min(5).default(180),
  /** Closed when nothing was asked of it for so long; the next call opens it again. */
  idle_timeout_seconds: Seconds.optional(),
  /** Replaced by a fresh connection after so long, between two calls. */
  max_lifetime_seconds: Seconds.optional(),
  supports_parallel_tool_calls: z.boolean().default(false),
  /** `untrusted`: a person is asked before every call. */
  trust: z.enum(['full', 'untrusted']).default('full'),
  tools: z.object({
    include: z.array(z.string()).optional(), exclude: z.array(z.string()).optional(), resources: z.boolean().default(true), prompts: z.boolean().default(true),
  }).prefault({}),
  sampling: Sampling.prefault({}),
  elicitation: Elicitation.prefault({}),
};
const Variables = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String));
const Stdio = z.object({
  command: z.string().min(1), args: z.array(z.union([z.string(), z.number()]).transform(String)).default([]), env: Variables.default({}), cwd: z.string().min(1).optional(),
  /** Whether a package that npx or uvx would run is looked up in the list of known malware first. */
  malware_check: z.boolean().default(true), ...Common,
});
/** Paths of PEM files: one with certificate and key, or both apart. */
const ClientCertificate = z.union([
  z.string().min(1).transform((cert) => ({ cert, key: cert })),
  z.tuple([z.string().min(1), z.string().min(1)]).transform(([cert, key]) => ({ cert, key })),
  z.object({ cert: z.string().min(1), key: z.string().min(1), password: z.string().optional() }),
]);
const OAuth = z.object({ client_id: z.string().min(1).optional(), client_secret: z.string().min(1).optional(), scope: z.string().min(1).optional(), redirect_port: z.int().min(1).max(65_535).optional() });
const Remote = z.object({
  url: z.url({ protocol: /^https?$/ }), headers: Variables.default({}), 
  /** Other programs write the long names. */
  transport: z.preprocess((name) => (typeof name === 'string' && /^streamable[-_]?http$/i.test(name) ? 'http' : name), z.enum(['http', 'sse']).default('http')),
  /** Without it a server that asks for a login is signed in to as well, unless its headers bring their own. */
  auth: z.literal('oauth').optional(), oauth: OAuth.prefault({}),
  /** False: any certificate is taken. A path: these authorities are trusted instead of the system's. */
  ssl_verify: z.union([z.boolean(), z.string().min(1)]).default(true), client_cert: ClientCertificate.optional(), ...Common,
});

export type StdioServer = z.infer<typeof Stdio> & { readonly kind: 'stdio' };
export type RemoteServer = z.infer<typeof Remote> & { readonly kind: 'remote' };
export type ServerConfig = StdioServer | RemoteServer;
export type ReadServer = { readonly kind: 'ok'; readonly config: ServerConfig } | { readonly kind: 'missing-variable' | 'wrong'; readonly message: string };

export interface Interpolation {
  env(name: string): string | undefined;
  readonly workspaceFolder: string;
}

const VARIABLE = /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}/g;
const WORKSPACE = 'workspaceFolder';

/** Fills `${VAR}`, `${env:VAR}` and `${workspaceFolder}` in every text within; names of variables that are not set go to `missing`. */
function interpolate(value: unknown, from: Interpolation, missing: Set<string>): unknown {
  if (typeof value === 'string') {
    return value.replace(VARIABLE, (whole, name: string) => {
      if (name === WORKSPACE && !whole.includes(':')) return from.workspaceFolder;
      const found = from.env(name);
      if (found === undefined) missing.add(name);
      return found ?? whole;
    });
  }
  if (Array.isArray(value)) return value.map((item) => interpolate(item, from, missing));
  if (typeof value === 'object' && value !== null) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, interpolate(item, from, missing)]));
  return value;
}

const KEYS = [...new Set([...Object.keys(Stdio.shape), ...Object.keys(Remote.shape)])];
const SECTIONS: readonly (readonly [string, readonly string[]])[] = [
  ['tools', ['include', 'exclude', 'resources', 'prompts']], ['oauth', Object.keys(OAuth.shape)], ['elicitation', Object.keys(Elicitation.shape)], ['sampling', [...Object.keys(Sampling.shape), 'max_tool_rounds']],
];

function misspeltKeys(server: object, root: string): string[] {
  return [...misspelt(server, KEYS, root), ...SECTIONS.flatMap(([section, keys]) => {
    const inside: unknown = Reflect.get(server, section);
    return typeof inside === 'object' && inside !== null && !Array.isArray(inside) ? misspelt(inside, keys, `${root}.${section}`) : [];
  })];
}

/** Never throws: what is wrong is said with the path in config.yaml. Unknown keys are ignored, unless they are almost ours. */
export function readServer(name: string, raw: unknown, from: Interpolation): ReadServer {
  const missing = new Set<string>();
  const filled = interpolate(raw, from, missing);
  if (missing.size > 0) return { kind: 'missing-variable', message: `mcp_servers.${name} uses ${[...missing].join(', ')}, which is not set.` };
  const root = `mcp_servers.${name}`;
  const isSection = typeof filled === 'object' && filled !== null && !Array.isArray(filled);
  const wrongKeys = isSection ? misspeltKeys(filled, root) : [];
  if (!isSection || !('command' in filled || 'url' in filled)) {
    return { kind: 'wrong', message: [`${root} in config.yaml needs a command (a program to start) or a url.`, ...wrongKeys.map((words) => `${words}.`)].join(' ') };
  }
  if ('command' in filled && 'url' in filled) return { kind: 'wrong', message: `${root} in config.yaml has both a command and a url: keep one of them.` };
  if (wrongKeys.length > 0) return { kind: 'wrong', message: `${wrongKeys.join('; ')} (config.yaml)` };
  const parsed = 'url' in filled
    ? Remote.transform((config): ServerConfig => ({ ...config, kind: 'remote' })).safeParse(filled)
    : Stdio.transform((config): ServerConfig => ({ ...config, kind: 'stdio' })).safeParse(filled);
  if (parsed.success) return { kind: 'ok', config: parsed.data };
  const problems = parsed.error.issues.map((issue) => problemWords(issue, filled, root));
  return { kind: 'wrong', message: `${problems.join('; ')} (config.yaml)` };
}

/** What a server's process is given of the environment besides what its own `env` says: nothing that may hold a secret. */
const SAFE = /^(?:PATH|HOME|USER|LANG|LC_ALL|TERM|SHELL|TMPDIR|XDG_\w+|SystemRoot|APPDATA|LOCALAPPDATA|USERPROFILE|TEMP|TMP)$/;

export function filteredEnvironment(environment: Readonly<Record<string, string | undefined>>, configured: Readonly<Record<string, string>>): Record<string, string> {
  const safe = Object.entries(environment).filter((entry): entry is [string, string] => SAFE.test(entry[0]) && entry[1] !== undefined);
  return { ...Object.fromEntries(safe), ...configured };
}
