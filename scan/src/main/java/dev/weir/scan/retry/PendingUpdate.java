package dev.weir.scan.retry;

import java.util.Arrays;

import dev.weir.wire.Protocol;

/** An update that a server has not confirmed. Immutable; two are equal if they have one number. */
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
    }

    /**
     * What is to be kept.
     *
     * @param rule that learns
     * @param server that is to learn, as the configuration writes it
     * @param command code of the update
     * @param flag the list
     * @param value the weight
     * @param tag of the first attempt, so that the server can tell a repetition
     * @param digest 64 bytes
     * @param shingles 32 values, or none
     */
    // Copied by the caller that keeps it.
    @SuppressWarnings("ArrayRecordComponent")
    public record Content(String rule, String server, int command, int flag, int value, int tag, byte[] digest,
            long[] shingles) {
        /** The longest name of a rule or server, in bytes of UTF-8. */
        public static final int MOST_NAME = 1024;

        /** Checks the sizes. */
        public Content {
            if (digest.length != Protocol.DIGEST || (shingles.length != 0 && shingles.length != Protocol.SHINGLES)) {
                throw new IllegalArgumentException("no update has " + digest.length + " bytes of digest and "
                        + shingles.length + " shingles");
            }
        }
    }

    long id() {
        return id;
    }

    /** When it was first tried, seconds since 1970. */
    public long since() {
        return since;
    }

    /** Everything that is to be sent. */
    public Content content() {
        return new Content(rule, server, command, flag, value, tag, digest, shingles);
    }

    /** The server that is to learn. */
    public String server() {
        return server;
    }

    /** The rule that learns. */
    public String rule() {
        return rule;
    }

    boolean isAbout(String otherServer, byte[] otherDigest) {
        return server.equals(otherServer) && Arrays.equals(digest, otherDigest);
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
