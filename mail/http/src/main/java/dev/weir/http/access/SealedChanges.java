package dev.weir.http.access;

import java.util.LinkedHashSet;

import dev.weir.http.message.Seal;

/**
 * The seals of the last encrypted requests that changed something, so that a copy of one changes nothing again. An
 * encrypted request has no time in it, so it is good until its seal is forgotten: after {@value #MOST} further changes,
 * or at the end of the process. Only granted changes count, so a stranger cannot fill the set. Thread-safe.
 */
final class SealedChanges {
    /** Takes some 8 MB. */
    static final int MOST = 65_536;

    private final LinkedHashSet<Seal> seals = new LinkedHashSet<>();

    /** Records a seal. Returns false if it is known. */
    synchronized boolean add(Seal seal) {
        if (!seals.add(seal)) {
            return false;
        }
        if (seals.size() > MOST) {
            seals.removeFirst();
        }
        return true;
    }
}
