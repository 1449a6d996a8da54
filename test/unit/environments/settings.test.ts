import { expect, test } from 'vitest';
import { readDockerSettings, reachesHost } from '../../../environments/docker/settings.ts';
import { probeSshSettings, readSshSettings, requireSshSettings } from '../../../environments/ssh/settings.ts';

const docker = (values: Record<string, unknown>) => readDockerSettings((variable) => values[variable]);
const ssh = (values: Record<string, unknown>) => readSshSettings((variable) => values[variable]);

test('docker has the defaults of Hermes', () => {
  expect(docker({})).toMatchObject({
    image: 'nikolaik/python-nodejs:python3.11-nodejs20', cpus: 1, memoryMb: 5_120, diskMb: 51_200, persistent: true, volumes: [], network: true, mountCwd: false, runAsHostUser: false,
    persistAcrossProcesses: true, orphanReaper: true,
  });
});

test.each([
  ['TERMINAL_CONTAINER_CPU', 'many'], ['TERMINAL_CONTAINER_MEMORY', '-1'], ['TERMINAL_DOCKER_VOLUMES', '[1]'], ['TERMINAL_DOCKER_VOLUMES', 'not json'],
  ['TERMINAL_DOCKER_ENV', '[]'], ['TERMINAL_DOCKER_NETWORK', 'perhaps'], ['TERMINAL_DOCKER_EXTRA_ARGS', '["--privileged=true"]'],
])('a malformed %s is refused by name', (name, value) => {
  expect(() => docker({ [name]: value })).toThrow(`Invalid value for ${name}`);
});

test('a network that contradicts docker_network: false is an error', () => {
  expect(() => docker({ TERMINAL_DOCKER_NETWORK: 'false', TERMINAL_DOCKER_EXTRA_ARGS: '["--network=host"]' })).toThrow('contradicts');
});

test.each([['/srv:/srv', true], ['~/x:/x', true], ['./x:/x', true], ['../x:/x', true], ['C:\\x:/x', true], ['cache:/cache', false]])('volume %s reaches this machine: %s', (volume, reaches) => {
  expect(reachesHost(docker({ TERMINAL_DOCKER_VOLUMES: [volume] }))).toBe(reaches);
});

test('ssh without host or user says what is missing', () => {
  expect(probeSshSettings(ssh({}))).toMatchObject({ ok: false, step: 'missing-variable', message: 'The ssh backend needs TERMINAL_SSH_HOST and TERMINAL_SSH_USER.' });
  expect(() => requireSshSettings(() => undefined)).toThrow('TERMINAL_SSH_HOST');
  expect(probeSshSettings(ssh({ TERMINAL_SSH_HOST: 'h', TERMINAL_SSH_USER: 'u' }))).toEqual({ ok: true });
});

test('a malformed port is refused by name', () => {
  expect(() => ssh({ TERMINAL_SSH_PORT: '70000' })).toThrow('Invalid value for TERMINAL_SSH_PORT');
});
