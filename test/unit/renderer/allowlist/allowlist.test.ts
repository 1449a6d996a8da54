import { expect, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { AllowlistEntry } from '../../../../preload/contract/approvals.ts';
import { AppError } from '../../../../preload/contract/errors.ts';
import type { Talaria } from '../../../../preload/contract/index.ts';
import { allowlistActions } from '../../../../renderer/features/allowlist/actions.ts';
import { emptyAllowlist, matchingEntries, withoutEntry } from '../../../../renderer/features/allowlist/model.ts';

const podman = AllowlistEntry.parse({ entry: 'podman *', kind: 'glob' });
const remove = AllowlistEntry.parse({ entry: 'recursive delete', kind: 'description', createdFrom: 'rm -rf build', uses: 3 });

function manager(answer: (name: string) => AllowlistEntry[]) {
  const store = createStore(() => ({ ...emptyAllowlist, entries: [podman, remove] }));
  const sent: unknown[] = [];
  const request = async (name: string, input: object) => { sent.push([name, input]); return answer(name); };
  return { store, sent, actions: allowlistActions({ request: request as unknown as Talaria['request'] }, store) }; // a recording wire
}

test('search looks at the line, its kind and the command it was made for', () => {
  expect(matchingEntries([podman, remove], 'BUILD')).toEqual([remove]);
  expect(matchingEntries([podman, remove], 'pattern')).toEqual([podman]);
  expect(matchingEntries([podman, remove], ' ')).toEqual([podman, remove]);
});

test('an entry is drawn as removed at once, and the host’s list is what stays', async () => {
  expect(withoutEntry({ ...emptyAllowlist, entries: [podman, remove] }, 'podman *').entries).toEqual([remove]);
  const { actions, store, sent } = manager(() => [remove]);
  const removal = actions.remove('podman *');
  expect(store.getState().entries).toEqual([remove]);
  await removal;
  expect(sent).toEqual([['allowlist.remove', { entry: 'podman *' }]]);
});

test('an entry that the host did not remove is back in the list, and the refusal is told', async () => {
  const { actions, store } = manager((name) => {
    if (name === 'allowlist.remove') throw new AppError('config/locked', 'another program holds config.yaml');
    return [podman, remove];
  });
  await expect(actions.remove('podman *')).rejects.toThrow('another program holds');
  expect(store.getState()).toMatchObject({ status: 'ready', entries: [podman, remove] });
});
