/** An authorization server and the MCP server that it protects, on loopback. It checks what a real one checks: registration, PKCE, redirect address, resource, refresh. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';

interface Code { readonly clientId: string; readonly redirect: string; readonly challenge: string; readonly scope: string }

export interface OAuthServer {
  readonly url: string;
  readonly registered: Record<string, unknown>[];
  /** Grants in the order in which they were made. */
  readonly grants: string[];
  /** Tokens that requests to the MCP server carried. */
  readonly seen: (string | undefined)[];
  /** From now on the access tokens given so far are refused. */
  expire(): void;
  /** From now on no refresh token is taken. */
  revoke(): void;
  /** The person's browser: opens the page and follows it back to whoever waits; answers the text of the last page. */
  visit(page: string, as?: 'agree' | 'refuse'): Promise<string>;
  close(): Promise<void>;
}

const token = (): string => randomBytes(16).toString('hex');

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part); // http bodies without an encoding are Buffers
  return Buffer.concat(parts).toString('utf8');
}

export async function startOAuthServer(options: { readonly scope?: string } = {}): Promise<OAuthServer> {
  const registered: Record<string, unknown>[] = [];
  const grants: string[] = [];
  const seen: (string | undefined)[] = [];
  const codes = new Map<string, Code>();
  const access = new Set<string>();
  const refresh = new Set<string>();
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  let base = '';

  const json = (response: ServerResponse, status: number, value: object, headers: Readonly<Record<string, string>> = {}): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(value));
  };

  function authorize(query: URLSearchParams, response: ServerResponse): void {
    const redirect = query.get('redirect_uri') ?? '';
    const known = registered.find((client) => client['client_id'] === query.get('client_id'));
    const right = known !== undefined && (known['redirect_uris'] as string[]).includes(redirect) && query.get('code_challenge_method') === 'S256' && query.get('response_type') === 'code' && query.get('resource') === `${base}/mcp`;
    if (!right) return json(response, 400, { error: 'invalid_request', query: Object.fromEntries(query) });
    const back = new URL(redirect);
    back.searchParams.set('state', query.get('state') ?? '');
    back.searchParams.set('iss', base);
    if (query.get('test_answer') === 'refuse') back.searchParams.set('error', 'access_denied');
    else {
      const code = token();
      codes.set(code, { clientId: String(known['client_id']), redirect, challenge: query.get('code_challenge') ?? '', scope: query.get('scope') ?? '' });
      back.searchParams.set('code', code);
    }
    response.writeHead(302, { location: back.href });
    response.end();
  }

  function grant(form: URLSearchParams, response: ServerResponse): void {
    grants.push(form.get('grant_type') ?? '');
    if (form.get('grant_type') === 'refresh_token') {
      if (!refresh.delete(form.get('refresh_token') ?? '')) return json(response, 400, { error: 'invalid_grant' });
    } else {
      const code = codes.get(form.get('code') ?? '');
      codes.delete(form.get('code') ?? '');
      const challenge = createHash('sha256').update(form.get('code_verifier') ?? '').digest('base64url');
      if (code?.challenge !== challenge || code.redirect !== form.get('redirect_uri') || code.clientId !== form.get('client_id')) return json(response, 400, { error: 'invalid_grant' });
    }
    const given = { access_token: token(), token_type: 'Bearer', expires_in: 3_600, refresh_token: token() };
    access.add(given.access_token);
    refresh.add(given.refresh_token);
    json(response, 200, given);
  }

  async function mcp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bearer = request.headers.authorization?.replace(/^Bearer /, '');
    seen.push(bearer);
    if (bearer === undefined || !access.has(bearer)) {
      const scope = options.scope === undefined ? '' : `, scope="${options.scope}"`;
      return json(response, 401, { error: 'invalid_token' }, { 'www-authenticate': `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource/mcp"${scope}` });
    }
    const id = request.headers['mcp-session-id'];
    const transport = (typeof id === 'string' ? sessions.get(id) : undefined) ?? await openSession();
    const body = request.method === 'POST' ? { body: await bodyOf(request) } : {};
    const answer = await transport.handleRequest(new Request(`${base}/mcp`, { method: request.method ?? 'GET', headers: request.headers as Record<string, string>, ...body }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body === null) response.end();
    else Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]).on('error', () => response.end()).pipe(response); // cast: two names of one type
  }

  async function openSession(): Promise<WebStandardStreamableHTTPServerTransport> {
    const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: token, onsessioninitialized: (id) => { sessions.set(id, transport); } });
    const server = new McpServer({ name: 'protected', version: '1' });
    server.registerTool('whoami', { description: 'Says who is signed in.' }, () => ({ content: [{ type: 'text', text: 'a signed-in person' }] }));
    await server.connect(transport);
    return transport;
  }

  const server = createServer((request, response) => {
    const address = new URL(request.url ?? '/', base);
    const work = async (): Promise<void> => {
      switch (address.pathname) {
        case '/mcp': return mcp(request, response);
        case '/.well-known/oauth-protected-resource/mcp': return json(response, 200, { resource: `${base}/mcp`, authorization_servers: [base], scopes_supported: ['use'] });
        case '/.well-known/oauth-authorization-server':
          return json(response, 200, {
            issuer: base, authorization_endpoint: `${base}/authorize`, token_endpoint: `${base}/token`, registration_endpoint: `${base}/register`, response_types_supported: ['code'],
            code_challenge_methods_supported: ['S256'], grant_types_supported: ['authorization_code', 'refresh_token'], token_endpoint_auth_methods_supported: ['none'], authorization_response_iss_parameter_supported: true,
          });
        case '/register': {
          const client = { ...JSON.parse(await bodyOf(request)) as object, client_id: token() };
          registered.push(client);
          return json(response, 201, client);
        }
        case '/authorize': return authorize(address.searchParams, response);
        case '/token': return grant(new URLSearchParams(await bodyOf(request)), response);
        default: return json(response, 404, {});
      }
    };
    work().catch((error: unknown) => json(response, 500, { error: String(error) }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`; // listening on TCP

  return {
    url: `${base}/mcp`, registered, grants, seen,
    expire: () => access.clear(),
    revoke: () => refresh.clear(),
    async visit(page, as = 'agree') {
      const address = new URL(page);
      if (as === 'refuse') address.searchParams.set('test_answer', 'refuse');
      return (await fetch(address)).text();
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
