package dev.weir.storage.index;

import java.util.function.BooleanSupplier;

import dev.weir.model.Signature;
import org.jspecify.annotations.Nullable;

/** A lack of memory in the middle of a change of an index. */
public final class HalfChange {
    private HalfChange() {}

    /**
     * Makes changes that give a hash an id fail when {@code fails} says so, after they stored the slot.
     *
     * @param index one with a store
     */
    public static void inject(HashIndex index, BooleanSupplier fails) {
        SlotSink sink = index.tables().sink();
        index.persist(new SlotSink() {
            @Override
            public void reserve(int hashes) {
                sink.reserve(hashes);
            }

            @Override
            public void put(int id, long[] digest, @Nullable Signature signature, long revision) {
                sink.put(id, digest, signature, revision);
                if (fails.getAsBoolean()) {
                    throw new OutOfMemoryError("simulated");
                }
            }
        });
    }
}
