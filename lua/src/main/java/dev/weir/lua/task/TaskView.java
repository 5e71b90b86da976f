package dev.weir.lua.task;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A mail and the request that brought it, as {@code rspamd_task} shows them (spec check-module, 7.4). Each method is asked
 * when a script asks, on another thread than the caller's, and may be asked repeatedly; it should be quick.
 */
public interface TaskView {
    /**
     * An address.
     *
     * @param addr {@code user@domain}
     * @param name display name, decoded, or empty
     * @param raw the address as it stood, in angle brackets if it had them
     */
    record Address(String addr, String user, String domain, String name, String raw) {}

    /**
     * One header field.
     *
     * @param value unfolded but not decoded
     * @param decoded encoded words decoded (RFC 2047)
     * @param raw the whole field as it stands, with name, folds and line end
     * @param order place among the headers, from 0
     * @param separator what stands between the colon and the value
     */
    record Header(String name, String value, String decoded, String raw, int order, String separator) {}

    /**
     * A part that is text.
     *
     * @param content decoded, UTF-8; of HTML the visible text
     * @param length bytes of the decoded part before it became text
     * @param language two letters, or empty
     */
    @SuppressWarnings("ArrayRecordComponent")
    record TextPart(byte[] content, int words, boolean html, String language, long length) {
        /** Of its own, since it is handed from thread to thread. */
        public TextPart {
            content = content.clone();
        }

        @Override
        public byte[] content() {
            return content.clone();
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    /**
     * A part of any kind.
     *
     * @param type such as {@code text}
     * @param subtype such as {@code plain}
     * @param fileName null if it has none
     * @param length bytes of the decoded part
     */
    record Part(String type, String subtype, @Nullable String fileName, boolean attachment, long length) {}

    /**
     * A link, or an address in the text.
     *
     * @param text the whole
     * @param host name of the host, lower case
     * @param tld registrable domain (public suffix and one label)
     * @param protocol such as {@code https} or {@code mailto}
     * @param user in front of the host, or empty
     */
    record Url(String text, String host, String tld, String protocol, String user) {}

    /**
     * A symbol of a scan.
     *
     * @param options as the scanner writes them
     */
    record Symbol(String name, double score, List<String> options) {
        public Symbol {
            options = List.copyOf(options);
        }
    }

    /** Which addresses are meant. */
    enum Source {
        SMTP, MIME
    }

    List<Address> from(Source source);

    List<Address> recipients(Source source);

    /** All header fields of the mail, in order. */
    List<Header> headers();

    /** Content of the Message-ID without angle brackets, or null. */
    @Nullable
    String messageId();

    /** Decoded subject, or null. */
    @Nullable
    String subject();

    /** The whole mail. */
    byte[] content();

    /** Digest of the mail, hexadecimal, or empty. */
    String digest();

    List<TextPart> textParts();

    List<Part> parts();

    List<Url> urls();

    List<Url> emails();

    /**
     * The Received headers, newest first, each a table with the names that Rspamd gives the fields: raw, from_hostname,
     * real_hostname, from_ip, real_ip, by_hostname, proto, for (strings), timestamp (seconds), flags (a table).
     */
    List<Map<String, Object>> received();

    /** What the request said of the connection: ip, user, helo, hostname, queue-id; names in lower case. */
    @Nullable
    String requestHeader(String lowerCaseName);

    /** The symbols of a scan; empty when the mail was only read. */
    List<Symbol> symbols();

    /** Score of a scan so far. */
    double score();

    /** Score at which a mail is refused. */
    double requiredScore();
}
