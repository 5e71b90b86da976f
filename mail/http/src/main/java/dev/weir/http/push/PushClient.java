package dev.weir.http.push;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;

import dev.weir.http.crypt.HttpCrypt;
import dev.weir.storage.push.BatchSpan;
import dev.weir.storage.push.PushSettings;
import dev.weir.storage.push.PushTransport;
import dev.weir.storage.push.SlavePlace;
import dev.weir.wire.box.SharedKey;
import dev.weir.wire.key.KeyPair;

/**
 * Sends batches to slaves of Rspamd 1.3 to 1.9 and of Weir. Only an answer that the slave's key sealed counts.
 * Thread-safe.
 */
public final class PushClient implements PushTransport {
    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final Duration EXCHANGE = Duration.ofSeconds(60);
    private static final int MAX_REPLY = 64 << 10;

    private final KeyPair own;
    private final HttpCrypt crypt;

    /** Creates a client with the key pair of a master. */
    public PushClient(KeyPair own) {
        this.own = own;
        this.crypt = new HttpCrypt(List.of(own), new SecureRandom());
    }

    @Override
    public Reply push(PushSettings.Slave slave, PushSettings.Host host, byte[] body, BatchSpan span)
            throws IOException {
        SharedKey key = SharedKey.of(own.secret(), slave.key())
                .orElseThrow(() -> new IOException("the key of the slave cannot be used"));
        byte[] sealed = crypt.seal(key, joined("POST /update_v1/" + slave.name() + " HTTP/1.0\r\nContent-Length: "
                + body.length + "\r\nUser-Agent: weir\r\n" + PushServer.BATCH + ": " + span + "\r\n\r\n", body));
        byte[] request = joined("POST /post HTTP/1.0\r\nContent-Length: " + sealed.length
                + "\r\nContent-Type: application/octet-stream\r\nConnection: close\r\nKey: " + slave.key().shortId()
                + "=" + own.publicKey().base32() + "\r\n\r\n", sealed);
        byte[] received;
        try (Socket socket = new Socket()) {
            Thread limit = Thread.ofVirtual().name("weir-push-limit").start(() -> closeLater(socket));
            try {
                socket.connect(new InetSocketAddress(host.name(), host.port()), (int) CONNECT.toMillis());
                OutputStream out = socket.getOutputStream();
                out.write(request);
                out.flush();
                received = bounded(socket.getInputStream());
            } finally {
                limit.interrupt();
            }
        }
        if (received.length == 0) {
            throw new IOException(
                    "it closes the connection without an answer: does it name this node in masters, and does it have "
                            + "the key of the slave?");
        }
        Answer outer = Answer.read(received);
        if (outer.status() != 200) {
            throw new IOException("it refuses with status " + outer.status());
        }
        Answer inner = Answer.read(crypt.open(key, outer.body())
                .orElseThrow(() -> new IOException("its answer is not sealed with the key of the slave")));
        return new Reply(inner.status(), inner.number(PushServer.REVISION),
                SlavePlace.of(inner.text(PushServer.PLACE)));
    }

    /** Ends an exchange that takes too long, which the time limits of single reads cannot tell. */
    private static void closeLater(Socket socket) {
        try {
            Thread.sleep(EXCHANGE);
            socket.close();
        } catch (InterruptedException | IOException e) {
            // The exchange is over, or fails in any case.
            return;
        }
    }

    private static byte[] joined(String head, byte[] body) {
        byte[] start = head.getBytes(StandardCharsets.US_ASCII);
        byte[] all = new byte[start.length + body.length];
        System.arraycopy(start, 0, all, 0, start.length);
        System.arraycopy(body, 0, all, start.length, body.length);
        return all;
    }

    private static byte[] bounded(InputStream in) throws IOException {
        byte[] read = in.readNBytes(MAX_REPLY + 1);
        if (read.length > MAX_REPLY) {
            throw new IOException("its answer is too long");
        }
        return read;
    }

    /** A reply of HTTP that ends with the connection. */
    // Read once and never compared.
    @SuppressWarnings("ArrayRecordComponent")
    private record Answer(int status, List<String> head, byte[] body) {
        static Answer read(byte[] bytes) throws IOException {
            String text = new String(bytes, StandardCharsets.ISO_8859_1);
            int end = text.indexOf("\r\n\r\n");
            String[] line = text.split("\\s+", 3);
            if (end < 0 || line.length < 2 || !line[0].startsWith("HTTP/1.") || !line[1].matches("[1-5][0-9][0-9]")) {
                throw new IOException("it does not answer in HTTP");
            }
            List<String> head = List.of(text.substring(0, end).split("\r\n", -1));
            Answer whole = new Answer(Integer.parseInt(line[1]), head, new byte[0]);
            long length = whole.number("Content-Length");
            int left = bytes.length - end - 4;
            if (length > left) {
                throw new IOException("its answer is incomplete");
            }
            int taken = length < 0 ? left : (int) length;
            return new Answer(whole.status(), head,
                    new ByteArrayInputStream(bytes, end + 4, taken).readAllBytes());
        }

        /** Returns the number in a header, or -1. */
        long number(String name) {
            String value = text(name);
            return value.matches("[0-9]{1,10}") ? Long.parseLong(value) : -1;
        }

        /** Returns the value of a header; empty if there is none. */
        String text(String name) {
            for (String line : head) {
                if (line.regionMatches(true, 0, name + ":", 0, name.length() + 1)) {
                    return line.substring(name.length() + 1).strip();
                }
            }
            return "";
        }
    }
}
