/** Services with an effect that a person should have a say in. Beyond Hermes, which only blocks whole domains. */

const ASKED: ReadonlyMap<string, string> = new Map([
  ['lock.unlock', 'unlocks a door'],
  ['lock.open', 'opens a door'],
  ['alarm_control_panel.alarm_disarm', 'disarms the alarm'],
  ['homeassistant.stop', 'stops Home Assistant'],
  ['homeassistant.restart', 'restarts Home Assistant'],
  ['recorder.purge', 'deletes recorded history'],
  ['recorder.purge_entities', 'deletes recorded history'],
  ['update.install', 'installs an update'],
  ['valve.open_valve', 'opens a valve'],
]);

/** Why a person is asked before this call, undefined when none is. `more` is `homeassistant.ask_services`: names such as `cover.open_cover`, or `cover.*`. */
export function needsPerson({ domain, service }: { readonly domain: string; readonly service: string }, more: unknown): string | undefined {
  const full = `${domain}.${service}`;
  const named = Array.isArray(more) && more.some((entry) => entry === full || entry === `${domain}.*`);
  return ASKED.get(full) ?? (named ? `calls ${full}, which homeassistant.ask_services of config.yaml wants asked` : undefined);
}
