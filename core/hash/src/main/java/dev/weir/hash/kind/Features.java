package dev.weir.hash.kind;

import java.util.List;

/**
 * What one kind makes of a mail.
 *
 * @param kind the kind
 * @param hashes the hashes; several only for pictures
 * @param texts the pieces that the hashes are made of, in order, without repetitions; empty unless explained
 * @param reason why there is no hash; empty if there is one
 */
public record Features(HashKind kind, List<KindHash> hashes, List<String> texts, String reason) {
    /** Copies the lists. */
    public Features {
        hashes = List.copyOf(hashes);
        texts = List.copyOf(texts);
    }

    static Features none(HashKind kind, String reason) {
        return none(kind, reason, List.of());
    }

    static Features none(HashKind kind, String reason, List<String> texts) {
        return new Features(kind, List.of(), texts, reason);
    }
}
