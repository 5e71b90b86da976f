package dev.weir.storage.transfer;

import java.util.List;

import dev.weir.model.FlagValue;
import dev.weir.model.Update;
import dev.weir.storage.Samples;
import dev.weir.storage.StoredHash;

/** Three hashes below; the updates change one, remove one, and create two. */
class OverlaySourceContractTest extends HashSourceContract {
    @Override
    protected HashSource open() {
        ListSource below = new ListSource(3, 42,
                n -> new StoredHash(Samples.digest(n), List.of(new FlagValue(1, 10, 1_000)), null));
        return new OverlaySource(below, List.of(Samples.write(1, 1, 5, 1_001, null),
                new Update.DeleteAll(Samples.digest(2)), Samples.write(8, 2, 1, 1_002, null),
                Samples.write(9, 2, 1, 1_003, null)));
    }
}
