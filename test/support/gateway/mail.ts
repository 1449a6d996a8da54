/** A loopback mail service: as much of IMAP and SMTP as the clients use, over one mailbox. */
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export const MAIL_PASSWORD = 'loopback-mail-password';

export interface LoopbackMail {
  readonly imapPort: number;
  readonly smtpPort: number;
  /** Raw letters that were sent through SMTP. */
  readonly sent: string[];
  /** Puts a letter into the inbox and tells who waits. */
  arrives(raw: string): void;
  /** Answer to the next letters, instead of taking them. */
  readonly smtpTroubles: string[];
  /** So many of the next letters are taken and get no answer. */
  hangs: number;
  /** Cuts every IMAP connection. */
  cut(): void;
  readonly logins: number;
  close(): Promise<void>;
}

function lines(socket: Socket, onLine: (line: string) => void): void {
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('error', () => { socket.destroy(); }); // the client was killed, or a test cut the line
  socket.on('data', (chunk: string) => {
    rest += chunk;
    for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
      const line = rest.slice(0, end);
      rest = rest.slice(end + 2);
      onLine(line);
    }
  });
}

export async function startMail(): Promise<LoopbackMail> {
  const inbox: string[] = [];
  const sockets = new Set<Socket>();
  const imapSockets = new Set<Socket>();
  let logins = 0;
  let refusing = false;

  function imap(socket: Socket): void {
    imapSockets.add(socket);
    socket.once('close', () => { imapSockets.delete(socket); });
    let idle: string | undefined;
    let plain: string | undefined;
    const say = (text: string): void => { socket.write(`${text}\r\n`); };
    say('* OK [CAPABILITY IMAP4rev1 IDLE AUTH=PLAIN SASL-IR] ready');
    lines(socket, (line) => {
      if (idle !== undefined) {
        say(`${idle} OK done`);
        idle = undefined;
        return;
      }
      if (plain !== undefined) {
        authenticate(plain, line);
        plain = undefined;
        return;
      }
      const [tag = '', first = '', second = '', ...rest] = line.split(' ');
      const verb = first.toUpperCase() === 'UID' ? `UID ${second.toUpperCase()}` : first.toUpperCase();
      if (verb === 'CAPABILITY') say('* CAPABILITY IMAP4rev1 IDLE AUTH=PLAIN SASL-IR');
      else if (verb === 'AUTHENTICATE') {
        if (rest[0] === undefined) {
          plain = tag;
          say('+ ');
        } else authenticate(tag, rest[0]);
        return;
      } else if (verb === 'LOGIN') {
        if (!line.includes(MAIL_PASSWORD)) return say(`${tag} NO [AUTHENTICATIONFAILED] no`);
        logins += 1;
      } else if (verb === 'SELECT' || verb === 'EXAMINE') {
        say(`* ${String(inbox.length)} EXISTS`);
        say('* FLAGS (\\Seen)');
        say('* OK [UIDVALIDITY 7] ok');
        say(`* OK [UIDNEXT ${String(inbox.length + 1)}] ok`);
        return say(`${tag} OK [READ-WRITE] open`);
      } else if (verb === 'LIST' || verb === 'LSUB') say('* LIST (\\HasNoChildren) "/" INBOX');
      else if (verb === 'IDLE') {
        idle = tag;
        return say('+ idling');
      } else if (verb === 'UID FETCH' || verb === 'FETCH') {
        const [from = '', to = from] = (verb === 'FETCH' ? second : rest[0] ?? '').split(':');
        const last = to === '*' ? inbox.length : Number(to);
        for (let uid = Math.min(Number(from), inbox.length); uid >= 1 && uid <= last; uid += 1) {
          const raw = inbox[uid - 1] ?? '';
          const size = String(Buffer.byteLength(raw));
          if (/BODY/i.test(line)) socket.write(`* ${String(uid)} FETCH (UID ${String(uid)} BODY[] {${size}}\r\n${raw})\r\n`);
          else say(`* ${String(uid)} FETCH (UID ${String(uid)} RFC822.SIZE ${size})`);
        }
      } else if (verb === 'LOGOUT') {
        say('* BYE');
        say(`${tag} OK bye`);
        socket.end();
        return;
      }
      say(`${tag} OK done`);
    });
    function authenticate(tag: string, encoded: string): void {
      const isRight = Buffer.from(encoded, 'base64').toString('utf8').split('\0').at(-1) === MAIL_PASSWORD;
      if (isRight) logins += 1;
      say(isRight ? `${tag} OK in` : `${tag} NO [AUTHENTICATIONFAILED] no`);
    }
  }

  function smtp(socket: Socket): void {
    let letter: string[] | undefined;
    const say = (text: string): void => { socket.write(`${text}\r\n`); };
    say('220 loopback ESMTP');
    lines(socket, (line) => {
      if (letter !== undefined) {
        if (line !== '.') return void letter.push(line.startsWith('..') ? line.slice(1) : line);
        const trouble = mail.smtpTroubles.shift();
        if (trouble === undefined) mail.sent.push(letter.join('\n'));
        letter = undefined;
        if (trouble === undefined && mail.hangs > 0) return void (mail.hangs -= 1);
        return say(trouble ?? '250 taken');
      }
      const verb = line.split(' ')[0]?.toUpperCase();
      if (verb === 'EHLO') say('250-loopback\r\n250-8BITMIME\r\n250 AUTH PLAIN');
      else if (verb === 'AUTH') say(Buffer.from(line.split(' ')[2] ?? '', 'base64').toString('utf8').endsWith(MAIL_PASSWORD) ? '235 in' : '535 no');
      else if (verb === 'DATA') {
        letter = [];
        say('354 go on');
      } else if (verb === 'QUIT') {
        say('221 bye');
        socket.end();
      } else say('250 ok');
    });
  }

  const listen = async (serve: (socket: Socket) => void): Promise<Server> => {
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.once('close', () => { sockets.delete(socket); });
      if (refusing) socket.destroy();
      else serve(socket);
    });
    await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve); });
    return server;
  };
  const servers = [await listen(imap), await listen(smtp)];
  const portOf = (server: Server | undefined): number => (server?.address() as AddressInfo).port;
  const mail: LoopbackMail = {
    imapPort: portOf(servers[0]), smtpPort: portOf(servers[1]), sent: [], smtpTroubles: [], hangs: 0,
    get logins() { return logins; },
    arrives(raw) {
      inbox.push(raw.replaceAll(/\r?\n/g, '\r\n'));
      for (const socket of imapSockets) socket.write(`* ${String(inbox.length)} EXISTS\r\n`);
    },
    cut() { for (const socket of imapSockets) socket.destroy(); },
    async close() {
      refusing = true;
      for (const socket of sockets) socket.destroy();
      await Promise.all(servers.map((server) => new Promise((resolve) => { server.close(resolve); })));
    },
  };
  return mail;
}
