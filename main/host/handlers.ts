/** The table from request to handler: the compiler asks for exactly one per entry of the contract. */
import type { ParsedInput, RequestOutput } from '../../preload/contract/index.ts';
import type { Caller, HandledRequest } from '../bridge/host.ts';

export type Handler<Name extends HandledRequest> = (input: ParsedInput<Name>, caller: Caller) => RequestOutput<Name> | Promise<RequestOutput<Name>>;

export type Handlers = { readonly [Name in HandledRequest]: Handler<Name> };

/** The handlers of one area: every request whose name begins with it. */
export type AreaHandlers<Area extends string> = { readonly [Name in Extract<HandledRequest, `${Area}.${string}`>]: Handler<Name> };
