/** The terminals of the host as a value. Pure. */
import type { Terminal } from '../../../preload/contract/terminal.ts';
import type { SessionId, TerminalId } from '../../../preload/contract/ids.ts';

/** Which terminals the list shows. */
export type Filter = 'all' | 'chat' | 'background' | 'own';

/** What of the terminals is shown, and how: what a window keeps. */
export interface Arrangement {
  readonly selected: TerminalId | undefined;
  readonly filter: Filter;
  /** Terminals shown next to the selected one, and on which side. */
  readonly panes: readonly TerminalId[];
  readonly direction: Direction;
}

export interface TerminalsModel extends Arrangement {
  readonly status: 'loading' | 'ready' | 'failed';
  readonly failure: string | undefined;
  readonly byId: ReadonlyMap<TerminalId, Terminal>;
  /** The one that gave its place to the selected one. */
  readonly previous: TerminalId | undefined;
}

export type Direction = 'beside' | 'below';

/** More than four in a side panel are too small to read. */
export const MOST_PANES = 3;

export const emptyTerminals: TerminalsModel = { status: 'loading', failure: undefined, byId: new Map(), selected: undefined, previous: undefined, filter: 'all', panes: [], direction: 'below' };

export function withList(model: TerminalsModel, terminals: readonly Terminal[]): TerminalsModel {
  return withSelection({ ...model, status: 'ready', failure: undefined, byId: new Map(terminals.map((terminal) => [terminal.id, terminal])) });
}

export function withTerminal(model: TerminalsModel, terminal: Terminal): TerminalsModel {
  return withSelection({ ...model, byId: new Map(model.byId).set(terminal.id, terminal) });
}

export function withoutTerminal(model: TerminalsModel, id: TerminalId): TerminalsModel {
  if (!model.byId.has(id)) return model;
  const byId = new Map(model.byId);
  byId.delete(id);
  return withSelection({ ...model, byId });
}

/** One that is shown in a pane changes places with the selected one, so that none is shown twice. */
export function select(model: TerminalsModel, id: TerminalId): TerminalsModel {
  if (model.selected === id) return model;
  const { selected } = model;
  return { ...model, selected: id, previous: selected, panes: model.panes.flatMap((pane) => (pane !== id ? [pane] : selected === undefined ? [] : [selected])) };
}

/** Shows `id` next to the selected one; the oldest pane gives way when there are too many. */
export function withPane(model: TerminalsModel, id: TerminalId, direction: Direction): TerminalsModel {
  if (model.selected === undefined) return select(model, id);
  if (model.selected === id) return model.direction === direction ? model : { ...model, direction };
  return { ...model, direction, panes: [...model.panes.filter((pane) => pane !== id), id].slice(-MOST_PANES) };
}

/** Where others are shown, the selected one gives its place to the first of them. */
export function withoutPane(model: TerminalsModel, id: TerminalId): TerminalsModel {
  const [first, ...others] = model.panes;
  if (model.selected === id && first !== undefined) return { ...model, selected: first, previous: undefined, panes: others };
  return model.panes.includes(id) ? { ...model, panes: model.panes.filter((pane) => pane !== id) } : model;
}

/** A command that just started takes the view, unless a person's own running shell has it, or the one that has it waits for a secret. */
export function withNewest(model: TerminalsModel, id: TerminalId): TerminalsModel {
  const looked = model.selected === undefined ? undefined : model.byId.get(model.selected);
  const newest = model.byId.get(id);
  if (newest === undefined || newest.kind === 'user' || newest.state !== 'running') return model;
  if (looked?.state === 'running' && (looked.kind === 'user' || looked.driver === 'user' || looked.secretInput)) return model;
  return select(model, id);
}

export function withFilter(model: TerminalsModel, filter: Filter): TerminalsModel {
  return model.filter === filter ? model : { ...model, filter };
}

/** A selection that is gone gives way to a pane, else to the newest. */
function withSelection(model: TerminalsModel): TerminalsModel {
  /** Before the list is there nothing is gone. */
  if (model.status !== 'ready') return model;
  const panes = model.panes.every((pane) => model.byId.has(pane)) ? model.panes : model.panes.filter((pane) => model.byId.has(pane));
  if (model.selected !== undefined && model.byId.has(model.selected)) return panes === model.panes ? model : { ...model, panes };
  const selected = panes[0] ?? inOrder(model)[0]?.id;
  return { ...model, selected, previous: undefined, panes: panes.filter((pane) => pane !== selected) };
}

/** Running ones first, each group newest first. */
export function inOrder(model: TerminalsModel): Terminal[] {
  const rank = (terminal: Terminal): number => (terminal.state === 'running' ? 0 : 1);
  return [...model.byId.values()].sort((left, right) => rank(left) - rank(right) || right.startedAt - left.startedAt);
}

export function filtered(terminals: readonly Terminal[], filter: Filter, sessionId: SessionId | undefined): readonly Terminal[] {
  switch (filter) {
    case 'all': return terminals;
    case 'chat': return terminals.filter((terminal) => terminal.sessionId === sessionId && terminal.kind !== 'user');
    case 'background': return terminals.filter((terminal) => terminal.kind === 'background');
    case 'own': return terminals.filter((terminal) => terminal.kind === 'user');
  }
}

export function runningCount(model: TerminalsModel): number {
  let count = 0;
  for (const terminal of model.byId.values()) if (terminal.state === 'running') count += 1;
  return count;
}

/** Who may type, as the state bar says it. */
export type Wheel = 'own' | 'agent' | 'you' | 'waiting' | 'no-input' | 'ended';

export function wheelOf(terminal: Terminal): Wheel {
  if (terminal.state !== 'running') return 'ended';
  if (terminal.secretInput) return 'waiting';
  if (terminal.readOnly) return 'no-input';
  if (terminal.kind === 'user') return 'own';
  return terminal.driver === 'agent' ? 'agent' : 'you';
}

/** True when what a person types reaches the program. */
export function takesKeys(terminal: Terminal): boolean {
  const wheel = wheelOf(terminal);
  return wheel === 'own' || wheel === 'you' || (wheel === 'waiting' && (terminal.driver === 'user' || terminal.kind === 'user'));
}

/** The end of a program in words, without how long it took. */
export function endWords(terminal: Terminal): string {
  if (terminal.state === 'running') return 'Running';
  if (terminal.stopped === true) return 'Stopped';
  if (terminal.ended !== null && terminal.ended !== '') return capital(terminal.ended);
  if (terminal.state === 'lost') return 'Lost: it could not be followed over a restart';
  if (terminal.signal !== null) return `Ended by ${terminal.signal}`;
  if (terminal.exitCode === null) return 'Ended, with no exit code';
  return terminal.exitCode === 0 ? 'Finished' : `Failed with exit code ${terminal.exitCode}`;
}

export function endTone(terminal: Terminal): 'running' | 'ok' | 'failed' | 'stopped' | 'lost' {
  if (terminal.state === 'running') return 'running';
  if (terminal.stopped === true) return 'stopped';
  if (terminal.state === 'lost') return 'lost';
  return terminal.exitCode === 0 && terminal.signal === null ? 'ok' : 'failed';
}

/** Whose it is, in a word for the list. */
export function ownerWord(terminal: Pick<Terminal, 'kind' | 'startedBy'>): 'agent' | 'background' | 'you' | 'yours' {
  if (terminal.kind === 'user') return 'yours';
  if (terminal.kind === 'background') return 'background';
  return terminal.startedBy === 'user' ? 'you' : 'agent';
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What `chat.send` takes to run a terminal's command once more through the whole path, approvals included. */
export function rerunText(terminal: Pick<Terminal, 'kind' | 'command'>): string {
  return terminal.kind === 'background'
    ? `/tool terminal ${JSON.stringify({ command: terminal.command, background: true })}`
    : `!${terminal.command}`;
}
