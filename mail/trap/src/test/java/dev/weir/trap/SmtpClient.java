package dev.weir.trap;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** A client that sends the lines of SMTP and LMTP as a test writes them. */
final class SmtpClient implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 60_000;

    private Socket socket = new Socket();
    private BufferedReader in;

    SmtpClient(InetSocketAddress server) throws IOException {
        socket.connect(server, PATIENCE_MILLIS);
        socket.setSoTimeout(PATIENCE_MILLIS);
        in = reader();
    }

    private BufferedReader reader() throws IOException {
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
    }

    /** Begins TLS. */
    void secure(SSLContext trusted) throws IOException {
        SSLSocket secured = (SSLSocket) trusted.getSocketFactory().createSocket(socket, "127.0.0.1", socket.getPort(),
                true);
        secured.startHandshake();
        socket = secured;
        in = reader();
    }

    /** Returns a whole reply, its lines joined. */
    String reply() throws IOException {
        StringBuilder reply = new StringBuilder();
        String line;
        do {
            line = in.readLine();
            if (line == null) {
                return reply.append("<end>").toString();
            }
            reply.append(line).append('\n');
        } while (line.length() > 3 && line.charAt(3) == '-');
        return reply.toString();
    }

    String say(String line) throws IOException {
        send(line + "\r\n");
        return reply();
    }

    void send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
    }

    /** Sends a mail. Returns the last reply. */
    static String deliver(InetSocketAddress server, String from, String to, String mail) throws IOException {
        try (SmtpClient client = new SmtpClient(server)) {
            client.reply();
            client.say("EHLO client.example");
            client.say("MAIL FROM:<" + from + ">");
            String taken = client.say("RCPT TO:<" + to + ">");
            if (!taken.startsWith("250")) {
                return taken;
            }
            client.say("DATA");
            client.send(mail + "\r\n.\r\n");
            String reply = client.reply();
            client.say("QUIT");
            return reply;
        }
    }

    /** Sends a mail by LMTP. Returns the replies to it. */
    static List<String> deliverLmtp(InetSocketAddress server, List<String> recipients, String mail)
            throws IOException {
        try (SmtpClient client = new SmtpClient(server)) {
            client.reply();
            client.say("LHLO client.example");
            client.say("MAIL FROM:<spammer@example.net>");
            int taken = 0;
            List<String> replies = new ArrayList<>();
            for (String recipient : recipients) {
                String reply = client.say("RCPT TO:<" + recipient + ">");
                if (reply.startsWith("250")) {
                    taken++;
                } else {
                    replies.add(reply);
                }
            }
            client.say("DATA");
            client.send(mail + "\r\n.\r\n");
            for (int i = 0; i < taken; i++) {
                replies.add(client.reply());
            }
            replies.add(client.say("QUIT"));
            return replies;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
