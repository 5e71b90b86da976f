package dev.weir.storage.shared;

import java.util.ArrayList;
import java.util.List;

import dev.weir.model.Digest;

/** The digests of checks that found nothing, for asking the engine. */
final class MissedDigests {
    List<Digest> take(int shard) {
        return new ArrayList<>();
    }
}
