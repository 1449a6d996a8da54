/** Models, toolsets and settings, as screens see them. Keys never cross: only whether one is there and where it came from. */
import { z } from 'zod';

export const ModelConnection = z.object({
  /** `default` or the provider's name in config.yaml. */
  name: z.string(),
  baseUrl: z.string(),
  model: z.string(),
  hasKey: z.boolean(),
  /** Where each value came from: `OPENAI_API_KEY`, `config.yaml`, `keychain`, `found on loopback`, … */
  source: z.string(),
  contextTokens: z.number(),
});
export type ModelConnection = z.infer<typeof ModelConnection>;

/** A model server that answers on loopback. */
export const FoundServer = z.object({
  name: z.enum(['Ollama', 'LM Studio', 'llama.cpp', 'vLLM']),
  baseUrl: z.string(),
  models: z.array(z.string()),
});
export type FoundServer = z.infer<typeof FoundServer>;

export const ModelTestStep = z.object({
  step: z.enum(['reach', 'reply', 'stream', 'tool-call']),
  state: z.enum(['ok', 'failed', 'skipped']),
  code: z.string().optional(),
  message: z.string(),
  hint: z.string().optional(),
  durationMs: z.number(),
});
export type ModelTestStep = z.infer<typeof ModelTestStep>;

export const AvailabilityStep = z.enum([
  'disabled-by-profile', 'disabled-in-chat', 'missing-variable', 'missing-program', 'wrong-backend', 'model-without-tools',
  'dropped-by-cap', 'plugin-not-trusted', 'needs-sign-in', 'check-threw', 'check-failed', 'check-timed-out', 'no-tools',
]);
export type AvailabilityStep = z.infer<typeof AvailabilityStep>;

/** The first step that keeps a toolset from the model, in words, and how to mend it. */
export const AvailabilityReason = z.object({ step: AvailabilityStep, message: z.string(), fix: z.string().optional() });
export type AvailabilityReason = z.infer<typeof AvailabilityReason>;

export const ToolInfo = z.object({
  name: z.string(),
  emoji: z.string(),
  description: z.string(),
  parameters: z.record(z.string(), z.unknown()),
  /** Tokens of the exact JSON that is sent for it. */
  tokens: z.number(),
  available: z.boolean(),
  /** The toolset it registered itself in; it may be shown under others that contain it. */
  toolset: z.string().optional(),
  /** Plugin, or file of the person's own, that it comes from. */
  owner: z.string().optional(),
  /** Whose tool of this name it took the place of: a plugin's id, or `built-in`. */
  replaces: z.string().optional(),
});
export type ToolInfo = z.infer<typeof ToolInfo>;

/** What came of one call that a person made by hand. */
export const TriedTool = z.object({
  status: z.enum(['ok', 'error', 'blocked', 'cancelled']),
  /** What the model would have read; cut after a million characters. */
  result: z.string(),
  /** What was changed about the arguments before it ran, one sentence each. */
  repairs: z.array(z.string()),
  durationMs: z.number(),
});
export type TriedTool = z.infer<typeof TriedTool>;

export const ToolsetInfo = z.object({
  name: z.string(),
  description: z.string(),
  tools: z.array(ToolInfo),
  /** The wish: what the default and this chat's switch add up to. */
  enabled: z.boolean(),
  /** The default for new chats. */
  enabledByDefault: z.boolean(),
  /** This chat's own switch; null = inherited. */
  inChat: z.boolean().nullable(),
  /** `isToolsetAvailable`: its check passes. */
  available: z.boolean(),
  reason: AvailabilityReason.nullable(),
  checkedAt: z.number().nullable(),
  tokens: z.number(),
  uses30d: z.number(),
});
export type ToolsetInfo = z.infer<typeof ToolsetInfo>;

/** What is wrong with config.yaml and where. While it is set the app runs on defaults and refuses to save. */
export const ConfigProblem = z.object({ path: z.string(), message: z.string(), line: z.number().nullable(), column: z.number().nullable() });
export type ConfigProblem = z.infer<typeof ConfigProblem>;

/** A wall of the operating system around local commands. It never makes an approval unnecessary. */
export const SandboxMode = z.enum(['off', 'workspace-write', 'read-only']);
export type SandboxMode = z.infer<typeof SandboxMode>;

/** The wall around one chat's commands. */
export const ChatSandbox = z.object({
  mode: SandboxMode,
  network: z.boolean(),
  /** Chosen for this chat; else the setting for all. */
  own: z.boolean(),
  /** Why it cannot be made here; absent when it can. */
  problem: z.string().optional(),
});
export type ChatSandbox = z.infer<typeof ChatSandbox>;

export const Settings = z.object({
  approvals: z.object({ mode: z.enum(['manual', 'smart', 'off']), timeoutSeconds: z.number(), deny: z.array(z.string()) }),
  terminal: z.object({ backend: z.string(), cwd: z.string(), timeoutSeconds: z.number(), sandbox: SandboxMode, sandboxNetwork: z.boolean() }),
  /** How terminals are drawn: text size in CSS pixels, text for screen readers, and whether the list shows a new command by itself. */
  terminalView: z.object({ fontSize: z.number(), screenReader: z.boolean(), followNewest: z.boolean() }),
  maxIterations: z.number(),
  /** Whether the model is sent pictures. `auto`: they are tried, and left out from then on when its endpoint refuses them. */
  model: z.object({ vision: z.enum(['auto', 'on', 'off']) }),
  redactSecrets: z.boolean(),
  /** `system` follows the desktop. */
  theme: z.enum(['system', 'light', 'dark']),
  problem: ConfigProblem.nullable(),
});
export type Settings = z.infer<typeof Settings>;

export const HostInfo = z.object({
  version: z.string(),
  shell: z.enum(['electron', 'browser', 'cli', 'test']),
  platform: z.string(),
  home: z.string(),
  cwd: z.string(),
  user: z.string(),
  host: z.string(),
  /** Things the person should know at start: config problem, keys kept in a file, missing programs. */
  warnings: z.array(z.string()),
});
export type HostInfo = z.infer<typeof HostInfo>;

/** Where commands may run, and whether it could be used now. */
export const BackendInfo = z.object({
  name: z.string(),
  /** The one of new chats. */
  chosen: z.boolean(),
  /** Null: it could be used now. */
  reason: z.object({ message: z.string(), fix: z.string().optional() }).nullable(),
  /** Nothing of this machine can be reached from there. */
  isolated: z.boolean(),
  /** Keys of a hosted service, by the name of their variable; `null`: not set. */
  keys: z.array(z.object({ variable: z.string(), source: z.enum(['environment', 'keychain']).nullable() })),
  /** Of a hosted service: what a sandbox costs about while it is there, and when its vendor ends it at the latest. Null: costs nothing, or settings cannot be read. */
  cost: z.object({ usdPerHour: z.number(), lifetimeSeconds: z.number() }).nullable(),
  /** A place without work is let go after this long; null: never. */
  idleSeconds: z.number().nullable(),
  /** Places that are open there now. */
  places: z.array(z.object({
    /** Container, server or sandbox, as its service names it. */
    host: z.string(), user: z.string(), image: z.string().nullable(), isolated: z.boolean(), endsAt: z.number().nullable(),
    mounts: z.array(z.object({ host: z.string(), inside: z.string(), readOnly: z.boolean() })),
  })),
});
export type BackendInfo = z.infer<typeof BackendInfo>;

/** `off`: not set up, and nothing here needs it. */
export const DoctorLine = z.object({ name: z.string(), state: z.enum(['ok', 'off', 'warn', 'fail']), message: z.string(), fix: z.string().optional() });
export type DoctorLine = z.infer<typeof DoctorLine>;
