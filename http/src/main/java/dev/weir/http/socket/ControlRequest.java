package dev.weir.http.socket;

import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The head of a request. Nothing else is read: no command has a body.
 *
 * @param path with its leading slash
 * @param query parameters
 */
record ControlRequest(String path, Map<String, String> query) {
    private static final int MAX_HEAD = 8_192;

    /** It is no request, or one that is too long. */
    static final class Malformed extends IOException {
        private static final long serialVersionUID = 1L;

        Malformed(String message) {
            super(message);
        }
    }

    /**
     * Reads up to the empty line.
     *
     * @throws Malformed if it is no request of HTTP, or its head is longer than 8 KiB
     * @throws IOException if it cannot be read
     */
    static ControlRequest read(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        int lineStart = 0;
        while (true) {
            int c = in.read();
            if (c < 0 || head.length() == MAX_HEAD) {
                throw new Malformed(c < 0 ? "the request ends within its head" : "the head is too long");
            }
            if (c == '\n') {
                if (head.substring(lineStart).isBlank() && lineStart > 0) {
                    return parse(head.substring(0, head.indexOf("\n")));
                }
                lineStart = head.length() + 1;
            }
            head.append((char) c);
        }
    }

    private static ControlRequest parse(String line) throws Malformed {
        String[] words = line.strip().split(" ", -1);
        if (words.length != 3 || !words[2].startsWith("HTTP/1.") || !words[1].startsWith("/")
                || !(words[0].equals("GET") || words[0].equals("POST"))) {
            throw new Malformed("no request of HTTP/1");
        }
        String[] target = words[1].split("\\?", 2);
        Map<String, String> query = new LinkedHashMap<>();
        if (target.length == 2) {
            for (String pair : target[1].split("&", -1)) {
                String[] parts = pair.split("=", 2);
                query.put(decode(parts[0]), parts.length == 2 ? decode(parts[1]) : "");
            }
        }
        return new ControlRequest(decode(target[0]), query);
    }

    private static String decode(String text) throws Malformed {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new Malformed("a wrong escape with %");
        }
    }
}
