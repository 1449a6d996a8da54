/** No command ends the program that runs it, whatever the mode. */
import { afterEach, expect, test } from 'vitest';
import { selfHarm, type OwnProcess } from '../../../main/approvals/self-protection.ts';
import { reviewCommand } from '../../../main/approvals/detect.ts';
import { desk, type Desk } from '../../support/approvals-desk.ts';

const OWN: OwnProcess = { pid: 4321, names: ['talaria', 'node', 'MainThread'], commandLine: '/opt/node /opt/talaria/main.js serve --home /home/me/.hermes', user: 'me', platform: 'linux' };
const harms = (command: string, serving = false, own = OWN): boolean => selfHarm(reviewCommand(command, { backend: 'local', isolated: false }).parts, own, serving) !== undefined;

let desks: Desk[] = [];
afterEach(() => {
  for (const made of desks) made.remove();
  desks = [];
});

test.each([
  'kill 4321', 'kill -9 4321', 'kill -TERM -- 4321', 'kill -- -4321', 'sudo k\\ill -9 "4321"', 'bash -c "kill 4321"', 'true; kill 1 2 4321', 'kill $PPID', `kill -9 $\{PPID}`,
  'pkill talaria', 'pkill node', 'pkill -x node', 'pkill -9 "nod."', 'pkill -f main.js', 'pkill -f "talaria.*serve"', 'pkill -f "a|serve"', 'pkill -u me', 'killall node', 'killall -9 talaria', 'killall -r "^nod"', 'taskkill /F /PID 4321', 'taskkill /IM node.exe /F',
])('%j is refused', (command) => { expect(harms(command)).toBe(true); });

test.each(['kill 432', 'kill -0 1234', 'kill -l', 'pkill -f nginx', 'pkill flask', 'pkill -x nodemon', 'killall chrome', 'pkill -l', 'echo kill 4321', 'grep 4321 log', 'pkill -u other', 'taskkill /PID 99', 'systemctl restart hermes', 'hermes gateway restart'])(
  '%j is somebody else\'s business', (command) => { expect(harms(command)).toBe(false); });

test.each(['hermes gateway restart', 'hermes --verbose gateway stop', 'sudo systemctl restart hermes-gateway', 'systemctl --user stop talaria.service', 'service hermes stop', 'launchctl kickstart -k gui/501/ai.hermes.gateway', 'hermes update'])(
  'while it serves messengers, %j is refused', (command) => { expect(harms(command, true)).toBe(true); });

test('on a Mac that serves messengers no service is put beside it either', () => {
  expect(harms('launchctl bootstrap gui/501 /tmp/x.plist', true, { ...OWN, platform: 'darwin' })).toBe(true);
  expect(harms('launchctl bootstrap gui/501 /tmp/x.plist', true)).toBe(false);
  expect(harms('systemctl status hermes', true)).toBe(false);
});

test('it is refused with yolo and whatever the rules allow, only on this machine, and told as what it is', async () => {
  const at = desk({ yolo: true, self: OWN, yaml: 'command_allowlist: ["kill *"]\n' });
  desks.push(at);
  expect(await at.review('kill -9 4321')).toMatchObject({ approved: false, hardline: true, pattern_key: 'stops the running app' });
  expect(at.approvals.test('kill -9 4321', { backend: 'ssh' }).verdict).toBe('allow');
  expect((await at.review('hermes gateway restart')).approved).toBe(true);
  const end = at.approvals.gateway.register(at.sessionId, () => undefined);
  expect((await at.review('hermes gateway restart')).approved).toBe(false);
  end();
  expect((await at.review('hermes gateway restart')).approved).toBe(true);
});
