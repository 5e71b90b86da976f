package dev.weir.interop;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server on loopback that reads requests over HTTP and answers as a test says, well or badly. */
final class ScriptedHttp implements AutoCloseable {
    private static final Pattern LENGTH = Pattern.compile("(?i)\r\nContent-Length: (\\d+)\r\n");

    private final ServerSocket server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<Socket> connections = new CopyOnWriteArrayList<>();
    private final Answer answer;

    /** What happens after a request was read. The connection ends when this returns. */
    interface Answer {
        void give(Socket connection) throws IOException, InterruptedException;
    }

    ScriptedHttp(Answer answer) throws IOException {
        this.answer = answer;
        Thread.ofVirtual().start(this::accept);
    }

    /** Answers with bytes as they are. */
    static ScriptedHttp answering(String bytes) throws IOException {
        return new ScriptedHttp(connection -> {
            connection.getOutputStream().write(bytes.getBytes(StandardCharsets.UTF_8));
            connection.getOutputStream().flush();
        });
    }

    /** Reads requests and never answers. */
    static ScriptedHttp silent() throws IOException {
        return new ScriptedHttp(connection -> connection.getInputStream().readAllBytes());
    }

    private void accept() {
        try {
            while (true) {
                Socket connection = server.accept();
                connections.add(connection);
                Thread.ofVirtual().start(() -> serve(connection));
            }
        } catch (IOException e) {
            // It is closed.
        }
    }

    private void serve(Socket connection) {
        try (connection) {
            String request = read(connection.getInputStream());
            requests.add(request);
            answer.give(connection);
        } catch (IOException e) {
            // The client has gone, as it may.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String read(InputStream in) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        while (true) {
            String text = bytes.toString(StandardCharsets.ISO_8859_1);
            int end = text.indexOf("\r\n\r\n");
            if (end >= 0) {
                Matcher length = LENGTH.matcher(text.substring(0, end + 2));
                int missing = (length.find() ? Integer.parseInt(length.group(1)) : 0) - (text.length() - end - 4);
                bytes.write(in.readNBytes(Math.max(0, missing)));
                return bytes.toString(StandardCharsets.ISO_8859_1);
            }
            int next = in.read();
            if (next < 0) {
                return text;
            }
            bytes.write(next);
        }
    }

    String address() {
        return "127.0.0.1:" + server.getLocalPort();
    }

    /** Returns how many connections there were. */
    int connections() {
        return connections.size();
    }

    /** Returns the requests so far, a character for each byte. */
    List<String> requests() {
        return List.copyOf(requests);
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket connection : connections) {
            connection.close();
        }
    }
}
