package dev.weir.hash;

import java.util.Arrays;
import java.util.HexFormat;

import dev.weir.hash.html.HtmlSideHashes;
import dev.weir.hash.kind.HashKind;
import org.jspecify.annotations.Nullable;

/** A fuzzy hash of one part of a mail: a 64-byte digest and, for text and HTML, 32 shingles. Immutable. */
public final class FuzzyHash {
    private final HashKind kind;
    private final int part;
    private final byte[] digest;
    private final long[] shingles;
    private final @Nullable HtmlSideHashes sides;

    FuzzyHash(HashKind kind, int part, byte[] digest, long[] shingles, @Nullable HtmlSideHashes sides) {
        this.kind = kind;
        this.part = part;
        this.digest = digest.clone();
        this.shingles = shingles.clone();
        this.sides = sides;
    }

    public HashKind kind() {
        return kind;
    }

    /** Returns the number of the part in the mail, from 0; containers count. */
    public int part() {
        return part;
    }

    /** Returns the digest, 64 bytes. */
    public byte[] digest() {
        return digest.clone();
    }

    /** Returns 32 unsigned values in wire order, or an empty array. */
    public long[] shingles() {
        return shingles.clone();
    }

    public boolean hasShingles() {
        return shingles.length > 0;
    }

    /** Returns the side hashes of a structure of HTML, if the rule asks for them; otherwise null. */
    public @Nullable HtmlSideHashes sides() {
        return sides;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FuzzyHash that && kind == that.kind && part == that.part && Arrays.equals(digest,
                that.digest) && Arrays.equals(shingles, that.shingles);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(digest);
    }

    @Override
    public String toString() {
        return kind.label() + " of part " + part + ": " + HexFormat.of().formatHex(digest);
    }
}
