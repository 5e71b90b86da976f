package dev.weir.lua.task;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A mail and its request as {@code rspamd_task} presents them to scripts. The script thread calls these methods on
 * demand and possibly repeatedly, so they should be fast.
 */
public interface TaskView {
    /**
     * An address.
     *
     * @param addr {@code user@domain}
     * @param name decoded display name, or empty
     * @param raw the address as written, including angle brackets
     */
    record Address(String addr, String user, String domain, String name, String raw) {}

    /**
     * A header field.
     *
     * @param value unfolded but not decoded
     * @param decoded with encoded words decoded (RFC 2047)
     * @param raw the whole field as written, with name, folds and line end
     * @param order index among the headers, from 0
     * @param separator text between the colon and the value
     */
    record Header(String name, String value, String decoded, String raw, int order, String separator) {}

    /**
     * A text part.
     *
     * @param content decoded, in UTF-8; the visible text for HTML
     * @param length length in bytes of the decoded part before conversion to text
     * @param language two letters, or empty
     */
    @SuppressWarnings("ArrayRecordComponent")
    record TextPart(byte[] content, int words, boolean html, String language, long length) {
        /** Makes a copy, because the value passes between threads. */
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
     * The structure of an HTML part, with MumHash and Rspamd's default key.
     *
     * @param digest 128 hexadecimal digits
     * @param shingles 32 numbers, unsigned
     * @param ctaDomains the hash of the domains of calls to action, unsigned; 0 if there is none
     * @param allDomains the hash of the ten most frequent domains, unsigned; 0 if there is none
     * @param features the hash of counts, coarsely grouped, unsigned
     * @param tags the number of tags
     */
    record HtmlHashes(String digest, List<Long> shingles, long ctaDomains, long allDomains, long features, int tags) {
        /** Copies the shingles. */
        public HtmlHashes {
            shingles = List.copyOf(shingles);
        }
    }

    /**
     * A part of any kind.
     *
     * @param type for example {@code text}
     * @param subtype for example {@code plain}
     * @param fileName null if absent
     * @param length length in bytes of the decoded part
     */
    record Part(String type, String subtype, @Nullable String fileName, boolean attachment, long length) {}

    /**
     * A link or an address in the text.
     *
     * @param text the whole URL
     * @param host host name in lower case
     * @param tld registrable domain (public suffix and one label)
     * @param protocol for example {@code https} or {@code mailto}
     * @param user user information before the host, or empty
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

    /** The source of addresses. */
    enum Source {
        SMTP, MIME
    }

    List<Address> from(Source source);

    List<Address> recipients(Source source);

    /** Returns all header fields of the mail, in order. */
    List<Header> headers();

    /** Returns the Message-ID without angle brackets, or null. */
    @Nullable
    String messageId();

    /** Returns the decoded subject, or null. */
    @Nullable
    String subject();

    /** Returns the whole mail. */
    byte[] content();

    /** Returns the digest of the mail in hexadecimal, or an empty string. */
    String digest();

    List<TextPart> textParts();

    /**
     * Returns the structure of a text part.
     *
     * @param index the place of the part in {@link #textParts}
     * @return null if the part is not HTML or has no tags
     */
    @Nullable
    HtmlHashes htmlHashes(int index);

    List<Part> parts();

    List<Url> urls();

    List<Url> emails();

    /**
     * Returns the Received headers, newest first. Each is a table with Rspamd's field names: raw, from_hostname,
     * real_hostname, from_ip, real_ip, by_hostname, proto, for (strings), timestamp (seconds), flags (a table).
     */
    List<Map<String, Object>> received();

    /** Returns the connection data in the request: ip, user, helo, hostname, queue-id; names in lower case. */
    @Nullable
    String requestHeader(String lowerCaseName);

    /** Returns the symbols of a scan; empty if the mail was only parsed. */
    List<Symbol> symbols();

    /** Returns the score of a scan so far. */
    double score();

    /** Returns the score at which a mail is rejected. */
    double requiredScore();
}
