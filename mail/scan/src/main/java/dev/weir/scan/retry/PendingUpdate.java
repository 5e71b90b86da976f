package dev.weir.scan.retry;

import java.nio.ByteBuffer;

import dev.weir.model.HtmlSides;
import dev.weir.wire.Protocol;
import org.jspecify.annotations.Nullable;

/** An update that a server has not confirmed. Immutable. Two updates are equal if they have the same number. */
public final class PendingUpdate {
    private final long id;
    private final long since;
    private final String rule;
    private final String server;
    private final int command;
    private final int flag;
    private final int value;
    private final int tag;
    private final byte[] digest;
    private final long[] shingles;
    private final @Nullable HtmlSides sides;
    private final int port;

    PendingUpdate(long id, long since, Content update) {
        this.id = id;
        this.since = since;
        this.rule = update.rule();
        this.server = update.server();
        this.command = update.command();
        this.flag = update.flag();
        this.value = update.value();
        this.tag = update.tag();
        this.digest = update.digest().clone();
        this.shingles = update.shingles().clone();
        this.sides = update.sides();
        this.port = update.port();
    }

    /**
     * The content of an update.
     *
     * @param rule the rule that learns
     * @param server the target server as written in the configuration
     * @param command the command code
     * @param flag the flag
     * @param value the weight
     * @param tag the tag of the first attempt, which lets the server recognize a repetition
     * @param digest 64 bytes
     * @param shingles 32 values, or none
     * @param sides the side hashes of HTML, or null
     * @param port the local port of the first attempt, which does the same with the tag; 0 if it is not known
     */
    // The queue that keeps the arrays copies them.
    @SuppressWarnings("ArrayRecordComponent")
    public record Content(String rule, String server, int command, int flag, int value, int tag, byte[] digest,
            long[] shingles, @Nullable HtmlSides sides, int port) {
        /** The maximum length of the name of a rule or server, in bytes of UTF-8. */
        public static final int MOST_NAME = 1024;

        /** Checks the sizes. */
        public Content {
            if (digest.length != Protocol.DIGEST || (shingles.length != 0 && shingles.length != Protocol.SHINGLES)) {
                throw new IllegalArgumentException("an update cannot have " + digest.length + " bytes of digest and "
                        + shingles.length + " shingles");
            }
        }
    }

    long id() {
        return id;
    }

    /** Returns when the update was first tried, in seconds since 1970. */
    public long since() {
        return since;
    }

    /** Returns the content to send. */
    public Content content() {
        return new Content(rule, server, command, flag, value, tag, digest, shingles, sides, port);
    }

    /** Returns the digest, read-only. */
    ByteBuffer digest() {
        return ByteBuffer.wrap(digest).asReadOnlyBuffer();
    }

    /** Returns the target server. */
    public String server() {
        return server;
    }

    /** Returns the rule that learns. */
    public String rule() {
        return rule;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PendingUpdate that && id == that.id;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(id);
    }
}
