/** The public door: what waits for a person to type, over the open chat. */
import { useFrame } from '../../ui/frame.tsx';
import { useSession } from '../sessions/index.tsx';
import { CredentialForm } from './credential-form.tsx';
import { useCredentials } from './live.ts';
import type { CredentialRequest } from '../../../preload/contract/index.ts';

export function CredentialRequests() {
  const open = useCredentials();
  return open.map((request) => <Bound key={request.id} request={request} />);
}

/** The field names its chat unless that is the open one. */
function Bound({ request }: { readonly request: CredentialRequest }) {
  const { sessionId, openSession } = useFrame();
  const session = useSession(request.sessionId ?? undefined);
  const elsewhere = request.sessionId !== null && request.sessionId !== sessionId ? request.sessionId : undefined;
  return (
    <CredentialForm
      request={request} chatTitle={elsewhere === undefined ? undefined : session?.title}
      onShowChat={elsewhere === undefined ? undefined : () => { openSession(elsewhere); }}
    />
  );
}
