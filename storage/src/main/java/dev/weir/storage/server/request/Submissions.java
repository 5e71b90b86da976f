package dev.weir.storage.server.request;

import java.util.LinkedHashMap;
import java.util.Map;

import dev.weir.model.Digest;
import dev.weir.storage.Submission;
import org.jspecify.annotations.Nullable;

/**
 * What a scanner in the same process says of updates that it is about to send. The protocol has no place for it, so the
 * update is recognized by its digest and tag when it arrives. Thread-safe.
 */
public final class Submissions {
    /** Announcements that are kept, some 500 bytes each; the oldest make room. */
    private static final int MOST = 16_384;

    private record Name(Digest digest, int tag) {}

    private final Map<Name, Submission> announced = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Name, Submission> eldest) {
            return size() > MOST;
        }
    };

    /** Lets a storage that no scanner announces anything to learn without the lock. */
    private volatile boolean used;

    public void announce(Digest digest, int tag, Submission submission) {
        synchronized (announced) {
            announced.put(new Name(digest, tag), submission);
            used = true;
        }
    }

    /** Who submitted an update; null where no scanner said so. It stays known, since a request may be repeated. */
    @Nullable
    Submission find(Digest digest, int tag) {
        if (!used) {
            return null;
        }
        synchronized (announced) {
            return announced.get(new Name(digest, tag));
        }
    }
}
