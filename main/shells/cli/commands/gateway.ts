/** `gateway`: serving messengers, and the people who may use them. */
import { PLATFORM_NAMES, PlatformName, type MessengerState } from '../../../../preload/contract/gateway.ts';
import { CALLER, EXIT, UsageError, type CommandContext, type ExitCode } from '../command.ts';
import { print, printJson } from '../streams.ts';
import { visibleLine } from '../visible.ts';

function platformOf(name: string): PlatformName {
  const known = PlatformName.safeParse(name.toLowerCase());
  if (!known.success) throw new UsageError(`there is no messenger '${name}'`, `Messengers: ${PLATFORM_NAMES.join(', ')}.`);
  return known.data;
}

function show(context: CommandContext, states: readonly MessengerState[]): ExitCode {
  const { streams, paint, json } = context;
  if (json) {
    printJson(streams.stdout, states);
    return EXIT.done;
  }
  const marks = { connected: paint('green', '✓'), off: paint('dim', '○'), stopped: paint('yellow', '○'), starting: paint('yellow', '…'), retrying: paint('yellow', '…'), failed: paint('red', '✗') };
  for (const { name, status, detail, allowed, refused, pairing, homeChannel } of states) {
    print(streams.stdout, `${marks[status]} ${paint('bold', name.padEnd(10))} ${status.padEnd(10)} ${paint('dim', visibleLine(detail ?? ''))}`);
    if (homeChannel !== null) print(streams.stdout, `    home channel ${visibleLine(homeChannel)}`);
    for (const person of allowed) print(streams.stdout, `    let in ${visibleLine(person.id)} ${visibleLine(person.name)}${person.by === 'config' ? ' (settings)' : ''}`);
    for (const person of refused) print(streams.stdout, `    ${paint('yellow', 'turned away')} ${visibleLine(person.id)} ${visibleLine(person.name)}`);
    if (pairing !== null) print(streams.stdout, `    code ${paint('bold', pairing.code)} until ${new Date(pairing.expiresAt).toLocaleTimeString()}`);
  }
  return EXIT.done;
}

export function status(context: CommandContext): Promise<ExitCode> {
  return context.withHost({}, async (host) => {
    const states = await host.handle('gateway.state', {}, CALLER);
    const holder = await host.handle('gateway.holder', {}, CALLER);
    if (context.json) printJson(context.streams.stdout, { holder, messengers: states });
    else {
      show(context, states);
      const who = holder === null ? undefined : `${holder.shell === 'cli' ? 'talaria gateway run' : 'the app'}, process ${String(holder.pid)}, since ${new Date(holder.since).toLocaleTimeString()}`;
      print(context.streams.stdout, `Served by: ${who ?? 'nobody; open the app, or run talaria gateway run'}`);
    }
    return EXIT.done;
  });
}

export function pair(context: CommandContext, name: string): Promise<ExitCode> {
  const platform = platformOf(name);
  return context.withHost({}, async (host) => {
    const states = await host.handle('gateway.pair', { platform }, CALLER);
    const state = states.find((each) => each.name === platform);
    if (context.json) printJson(context.streams.stdout, state?.pairing ?? null);
    else if (state?.pairing) print(context.streams.stdout, `${state.pairing.code}\nSend this code to the bot on ${platform} before ${new Date(state.pairing.expiresAt).toLocaleTimeString()}. It lets in one person.`);
    return EXIT.done;
  });
}

export function changePerson(context: CommandContext, action: 'allow' | 'revoke', name: string, sender: string): Promise<ExitCode> {
  const platform = platformOf(name);
  return context.withHost({}, async (host) => {
    const states = await host.handle(`gateway.${action}`, { platform, sender }, CALLER);
    return show(context, states.filter((each) => each.name === platform));
  });
}

/** Until the command is interrupted. Scheduled work runs here too: a server without a desktop has nobody else for it. */
export function serve(context: CommandContext): Promise<ExitCode> {
  const { streams, signal } = context;
  return context.withHost({ runSchedules: true }, async (host) => {
    const told = new Map<string, string>();
    const tell = async (): Promise<void> => {
      for (const { name, status: now, detail } of await host.handle('gateway.state', {}, CALLER)) {
        const line = `${name} ${now}${detail === null ? '' : `: ${detail}`}`;
        if (now === 'off' || told.get(name) === line) continue;
        told.set(name, line);
        if (context.json) printJson(streams.stdout, { name, status: now, detail });
        else print(streams.stdout, visibleLine(line));
      }
    };
    let telling: Promise<void> = Promise.resolve();
    const off = host.events.subscribe('gateway', () => { telling = telling.then(tell); });
    try {
      await host.handle('gateway.start', {}, CALLER);
      await tell();
      await new Promise<void>((resolve) => { if (signal.aborted) resolve(); else signal.addEventListener('abort', () => { resolve(); }, { once: true }); });
      return EXIT.done;
    } finally {
      off();
      await telling;
    }
  });
}
