"""Uploads as clients do that write everything before they read: `blocking-uploads.py PORT`.

Reads lines of JSON, each a request: method, path, headers, bytes, and how it is sent: "length", "chunked", "expect" (waits for
100 Continue, for a second at most), or "slow" (in 20 pieces over `seconds`). Prints the status of each, or the name of the error.
"""
import json, socket, sys, time


def is_whole(answer):
    """A proxy keeps the connection, so that its end does not show where the answer ends."""
    head, separator, body = answer.partition(b'\r\n\r\n')
    lines = head.lower().split(b'\r\n')
    if separator and b'transfer-encoding: chunked' in lines:
        return body.endswith(b'0\r\n\r\n')
    return bool(separator) and any(line.startswith(b'content-length:') and len(body) >= int(line[15:]) for line in lines)


def send(port, method, path, headers, size, how, seconds):
    piece = b'x' * 65536
    connection = socket.create_connection(('127.0.0.1', port), timeout=30)
    try:
        lines = [f'{method} {path} HTTP/1.1', 'Host: localhost'] + [f'{name}: {value}' for name, value in headers.items()]
        lines.append('Transfer-Encoding: chunked' if how == 'chunked' else f'Content-Length: {size}')
        if how == 'expect':
            lines.append('Expect: 100-continue')
        connection.sendall(('\r\n'.join(lines) + '\r\n\r\n').encode())
        if how == 'expect':
            connection.settimeout(1)
            try:
                connection.recv(25, socket.MSG_PEEK)
            except socket.timeout:
                pass
            connection.settimeout(30)
        step = size // 20 if how == 'slow' else len(piece)
        left = size
        while left > 0:
            part = piece[: min(left, step, len(piece))]
            connection.sendall(b'%x\r\n%s\r\n' % (len(part), part) if how == 'chunked' else part)
            left -= len(part)
            if how == 'slow':
                time.sleep(seconds / 20)
        if how == 'chunked':
            connection.sendall(b'0\r\n\r\n')
        answer = b''
        while True:
            received = connection.recv(65536)
            answer += received
            if received == b'':
                break
            while answer.startswith(b'HTTP/1.1 100') and b'\r\n\r\n' in answer:
                answer = answer.partition(b'\r\n\r\n')[2]
            if is_whole(answer):
                break
        return answer.split(b' ', 2)[1].decode() if answer else 'no answer'
    except OSError as error:
        return type(error).__name__
    finally:
        connection.close()


for line in sys.stdin:
    request = json.loads(line)
    print(send(int(sys.argv[1]), request['method'], request['path'], request['headers'], request['bytes'], request['how'], request.get('seconds', 0)), flush=True)
