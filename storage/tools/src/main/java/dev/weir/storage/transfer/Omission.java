package dev.weir.storage.transfer;

import java.util.Locale;

import dev.weir.storage.StoredHash;

/** The reasons why something is not transferred. */
public enum Omission {
    /** A row or key whose digest is not 64 bytes long. */
    ODD_DIGEST("hashes whose digest is not 64 bytes long"),
    /** A flag that is not a 32-bit number. */
    ODD_FLAG("hashes whose flag is not a 32-bit number"),
    /** In Redis: no {@code V} or no {@code F}. Rspamd does not answer from such a hash either. */
    NO_VALUE("hashes without a value or a flag"),
    /** In Redis: a key that looks like a hash but has another type. */
    ODD_TYPE("keys that look like hashes and are not"),
    /** The end of a file within a record. */
    CUT_OFF("hashes cut off by the end of the file"),
    /** In a store: a hash whose slot is damaged. */
    DAMAGED("hashes that are damaged in the store"),
    /** In Redis: a key that vanished between listing and reading. */
    VANISHED("hashes that vanished while they were read"),
    /** In Redis: a key with the prefix that is not Rspamd's. */
    OTHER_KEY("keys with the prefix that are something else"),
    /** A hash older than the option {@code --expire}. */
    EXPIRED("hashes older than --expire"),
    /** A flag older than the option {@code --expire}, of a hash with younger ones. */
    EXPIRED_FLAG("flags older than --expire, of hashes with younger ones"),
    /** Shingles without a hash. */
    ORPHAN_SHINGLE("shingles without a hash"),
    /** A shingle outside the slots 0 to 31. */
    ODD_SLOT("shingles in a slot that does not exist"),
    /** An unreadable list of shingles. */
    ODD_SIGNATURE("signatures that cannot be read"),
    /** An additional flag that is incomplete, duplicated, or left over from an earlier hash of the same row. */
    STALE_FLAG("further flags that are incomplete, doubled or left over"),
    /** A field that is not a number, taken as 0 as in Rspamd. */
    ODD_NUMBER("numbers that cannot be read, taken as 0"),
    /** A flag outside 0 to 255 beyond the number that a storage keeps for one hash. */
    TOO_MANY_FLAGS("flags outside of 0 to 255 beyond the " + StoredHash.MAX_ODD_FLAGS
            + " that a storage keeps of one hash"),
    /** A flag that the target cannot store. */
    NO_ROOM_FOR_FLAG("further flags that this kind of target cannot hold"),
    /** A time of renewal that the target cannot store. */
    NO_ROOM_FOR_RENEWAL("times of renewal that this kind of target cannot hold"),
    /** Side hashes of the structure of HTML, which the target cannot store. */
    NO_ROOM_FOR_SIDES("side hashes of HTML that this kind of target cannot hold"),
    /** A shingle that a later hash has, too, in a target that assigns each shingle to one hash. */
    SHARED_SHINGLE("shingles that a later hash owns in this kind of target");

    private final String words;

    Omission(String words) {
        this.words = words;
    }

    /** Returns the description for users, in the plural. */
    public String words() {
        return words;
    }

    /** Returns the name for programs, in lower case. */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }
}
