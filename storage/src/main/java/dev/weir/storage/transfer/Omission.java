package dev.weir.storage.transfer;

import java.util.Locale;

import dev.weir.storage.StoredHash;

/** Why something did not make it from a source into a target. */
public enum Omission {
    /** A row or key whose digest is not 64 bytes long. */
    ODD_DIGEST(true, "hashes whose digest is not 64 bytes long"),
    /** A flag that is no 32-bit number. */
    ODD_FLAG(true, "hashes whose flag is no 32-bit number"),
    /** In Redis: no {@code V} or no {@code F}, which Rspamd does not answer from either. */
    NO_VALUE(true, "hashes without a value or a flag"),
    /** In Redis: a key that looks like a hash and is of another type. */
    ODD_TYPE(true, "keys that look like hashes and are not"),
    /** The rest of a file that ends within a record. */
    CUT_OFF(true, "hashes of which the end of the file cuts off a part"),
    /** In Redis: gone between being listed and being read. */
    VANISHED(true, "hashes that vanished while they were read"),
    /** In Redis: a key that begins with the prefix and is not Rspamd's. */
    OTHER_KEY(false, "keys with the prefix that are something else"),
    /** Older than the option {@code --expire} asks for. */
    EXPIRED(true, "hashes older than --expire"),
    /** A flag older than that, of a hash with younger ones. */
    EXPIRED_FLAG(false, "flags older than --expire, of hashes with younger ones"),
    /** Shingles that belong to no hash. */
    ORPHAN_SHINGLE(false, "shingles of no hash"),
    /** A shingle outside of the slots 0 to 31. */
    ODD_SLOT(false, "shingles in a slot that does not exist"),
    /** A list of shingles that cannot be read. */
    ODD_SIGNATURE(false, "signatures that cannot be read"),
    /** A further flag that is incomplete, doubled or belongs to an earlier hash of the same row. */
    STALE_FLAG(false, "further flags that are incomplete, doubled or left over"),
    /** A field that should be a number and is not; 0 was taken, as Rspamd does. */
    ODD_NUMBER(false, "numbers that cannot be read, taken as 0"),
    /** A flag outside of 0 to 255 beyond those that a storage keeps of one hash. */
    TOO_MANY_FLAGS(false, "flags outside of 0 to 255 beyond the " + StoredHash.MAX_ODD_FLAGS
            + " that a storage keeps of one hash"),
    /** A flag for which the target has no place. */
    NO_ROOM_FOR_FLAG(false, "further flags that this kind of target cannot hold"),
    /** A moment of renewal for which the target has no place. */
    NO_ROOM_FOR_RENEWAL(false, "times of renewal that this kind of target cannot hold"),
    /** A shingle that a later hash has too, where the target gives each to one hash only. */
    SHARED_SHINGLE(false, "shingles that a later hash owns in this kind of target");

    private final boolean wholeHash;
    private final String words;

    Omission(boolean wholeHash, String words) {
        this.wholeHash = wholeHash;
        this.words = words;
    }

    /** Returns whether a whole hash was left out, rather than a part of one. */
    public boolean wholeHash() {
        return wholeHash;
    }

    /** For people, in the plural. */
    public String words() {
        return words;
    }

    /** For programs: the name in lower case. */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }
}
