/** `mcp_servers.<name>` of config.yaml (hermes-runtime 7.13), checked and with its variables filled in. */
import { z } from 'zod';

const Seconds = z.number().positive();
const Common = {
  enabled: z.boolean().default(true),
  /** Of one call, in seconds. */
  timeout: Seconds.default(300),
  connect_timeout: Seconds.default(60),
  keepalive_interval: z.number().min(5).default(180),
  supports_parallel_tool_calls: z.boolean().default(false),
  tools: z.object({
    include: z.array(z.string()).optional(), exclude: z.array(z.string()).optional(), resources: z.boolean().default(true), prompts: z.boolean().default(true),
  }).prefault({}),
};
const Variables = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String));
const Stdio = z.object({ command: z.string().min(1), args: z.array(z.union([z.string(), z.number()]).transform(String)).default([]), env: Variables.default({}), ...Common });
const Remote = z.object({ url: z.url({ protocol: /^https?$/ }), headers: Variables.default({}), transport: z.enum(['http', 'sse']).default('http'), auth: z.string().optional(), ...Common });

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

/** Never throws: what is wrong is said with the path in config.yaml. Unknown keys are ignored. */
export function readServer(name: string, raw: unknown, from: Interpolation): ReadServer {
  const missing = new Set<string>();
  const filled = interpolate(raw, from, missing);
  if (missing.size > 0) return { kind: 'missing-variable', message: `mcp_servers.${name} uses ${[...missing].join(', ')}, which is not set.` };
  if (typeof filled !== 'object' || filled === null || !('command' in filled || 'url' in filled)) {
    return { kind: 'wrong', message: `mcp_servers.${name} in config.yaml needs a command (a program to start) or a url.` };
  }
  const parsed = 'url' in filled
    ? Remote.transform((config): ServerConfig => ({ ...config, kind: 'remote' })).safeParse(filled)
    : Stdio.transform((config): ServerConfig => ({ ...config, kind: 'stdio' })).safeParse(filled);
  if (parsed.success) return { kind: 'ok', config: parsed.data };
  const problems = parsed.error.issues.map((issue) => `${['mcp_servers', name, ...issue.path].join('.')}: ${issue.message}`);
  return { kind: 'wrong', message: `${problems.join('; ')} (config.yaml)` };
}

/** What a server's process is given of the environment besides what its own `env` says: nothing that may hold a secret. */
const SAFE = /^(?:PATH|HOME|USER|LANG|LC_ALL|TERM|SHELL|TMPDIR|XDG_\w+|SystemRoot|APPDATA|LOCALAPPDATA|USERPROFILE|TEMP|TMP)$/;

export function filteredEnvironment(environment: Readonly<Record<string, string | undefined>>, configured: Readonly<Record<string, string>>): Record<string, string> {
  const safe = Object.entries(environment).filter((entry): entry is [string, string] => SAFE.test(entry[0]) && entry[1] !== undefined);
  return { ...Object.fromEntries(safe), ...configured };
}
