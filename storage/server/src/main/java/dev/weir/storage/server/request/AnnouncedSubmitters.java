package dev.weir.storage.server.request;

import java.util.LinkedHashMap;
import java.util.Map;

import dev.weir.model.Digest;
import dev.weir.storage.UpdateSubmitter;
import org.jspecify.annotations.Nullable;

/**
 * The submitters that a scanner in the same process announces before it sends updates. The protocol has no field for
 * them, so the storage recognizes an update by its digest and tag. Thread-safe.
 */
public final class AnnouncedSubmitters {
    /** The most announcements to keep, about 500 bytes each. The oldest are evicted first. */
    private static final int MOST = 16_384;

    private record Name(Digest digest, int tag) {}

    private final Map<Name, UpdateSubmitter> announced = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Name, UpdateSubmitter> eldest) {
            return size() > MOST;
        }
    };

    /** Avoids the lock in a storage without announcements. */
    private volatile boolean used;

    public void announce(Digest digest, int tag, UpdateSubmitter submission) {
        synchronized (announced) {
            announced.put(new Name(digest, tag), submission);
            used = true;
        }
    }

    /**
     * Returns the submitter of an update, or null if none was announced. Announcements are kept because clients may
     * repeat requests.
     */
    @Nullable
    UpdateSubmitter find(Digest digest, int tag) {
        if (!used) {
            return null;
        }
        synchronized (announced) {
            return announced.get(new Name(digest, tag));
        }
    }
}
