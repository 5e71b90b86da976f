package dev.weir.storage.log;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

import dev.weir.storage.StorageException;
import org.jspecify.annotations.Nullable;

/**
 * A test that changes one to three bits in one byte of a copy of a disk and opens the log there. The result must be the
 * same as without the change, or name the lost updates and their place, or end before the change if it is in the last
 * batch, which nothing after it confirms.
 */
final class BitFlips {
    private final SplittableRandom random;
    private final Faults faults;

    BitFlips(SplittableRandom random, Map<Fault, Long> counts) {
        this.random = random;
        this.faults = new Faults(random, counts);
    }

    /** A valid record. */
    record Place(Segment segment, long position, long end, long revision) {}

    /** The content of a disk: the valid records, and the last revision that later records confirm. */
    record Content(List<Segment> segments, List<Place> places, long settled) {}

    /** The result of opening a log. */
    private record Outcome(List<LoggedUpdate> replayed, @Nullable LogDamagedException damage) {}

    /** Runs with a certain probability. */
    void tryOn(SimulatedDisk disk, LogLimits limits, long applied, SimulatedClock clock) {
        if (random.nextInt(3) > 0) {
            return;
        }
        try {
            Content content = content(disk.copy(faults));
            if (content.segments().isEmpty()) {
                return;
            }
            Outcome sound = open(disk.copy(faults), limits, applied, clock);
            Ledger.check(sound.damage() == null, "a sound log is called damaged: %s", sound.damage());
            SimulatedDisk flipped = disk.copy(faults);
            Segment segment = content.segments().get(random.nextInt(content.segments().size()));
            int position;
            int kind = random.nextInt(6);
            if (kind < 3 && !content.places().isEmpty()) {
                Place place = content.places().get(random.nextInt(content.places().size()));
                segment = place.segment();
                position = (int) random.nextLong(place.position(), place.end());
            } else if (kind == 3) {
                position = random.nextInt(Segment.HEADER);
            } else {
                position = random.nextInt(Math.max(1, flipped.size(segment.name())));
            }
            int bits = 0;
            for (int i = 0; i < 3; i++) {
                bits |= 1 << random.nextInt(8);
            }
            flipped.flip(segment.name(), position, bits);
            check(content, segment, position, applied, sound, open(flipped, limits, applied, clock));
        } catch (IOException | StorageException e) {
            throw new AssertionError("bits changed, and this came of it", e);
        }
    }

    private static Outcome open(SimulatedDisk disk, LogLimits limits, long applied, SimulatedClock clock)
            throws StorageException {
        List<LoggedUpdate> replayed = new ArrayList<>();
        try (UpdateLog log = UpdateLog.open(disk, limits, SimulatedBackend.ID, applied, clock, next -> {}, update -> {
            if (update.revision() > applied) {
                replayed.add(update);
            }
        })) {
            Ledger.check(log.durable() == applied + replayed.size(), "%d replayed behind %d, but it is at %d",
                    replayed.size(), applied, log.durable());
            return new Outcome(replayed, null);
        } catch (LogDamagedException e) {
            return new Outcome(replayed, e);
        }
    }

    static Content content(SimulatedDisk disk) throws IOException {
        List<Segment> segments = Segment.among(disk.names());
        Map<Long, Place> places = new HashMap<>();
        long settled = ForcedMark.read(disk, SimulatedBackend.ID).revision();
        for (int i = 0; i < segments.size(); i++) {
            Segment segment = segments.get(i);
            long next = i + 1 < segments.size() ? segments.get(i + 1).first() : Long.MAX_VALUE;
            settled = Math.max(settled, segment.first() - 1);
            try (DiskFile file = disk.open(segment.name())) {
                SegmentCursor cursor = new SegmentCursor(file, SimulatedBackend.ID, segment.first(),
                        Segment.HEADER);
                for (boolean more = cursor.next(); more; more = cursor.next()) {
                    if (cursor.revision() < next) {
                        settled = Math.max(settled, cursor.settled());
                        places.put(cursor.revision(),
                                new Place(segment, cursor.position(), cursor.end(), cursor.revision()));
                    }
                }
            }
        }
        return new Content(segments, List.copyOf(places.values()), settled);
    }

    private void check(Content content, Segment segment, int position, long applied, Outcome sound, Outcome now) {
        Place hit = content.places().stream().filter(place -> place.segment().equals(segment)
                && place.position() <= position && position < place.end()).findFirst().orElse(null);
        boolean lastBatch = hit != null && hit.revision() > content.settled();
        faults.note(position < Segment.HEADER
                ? Fault.FLIP_IN_HEADER
                : hit == null ? Fault.FLIP_ELSEWHERE : lastBatch ? Fault.FLIP_IN_LAST_BATCH : Fault.FLIP_IN_RECORD);
        LogDamagedException damage = now.damage();
        if (damage != null) {
            Ledger.check(damage.damages().size() == 1, "one byte made more damages: %s", damage.damages());
            LogDamage only = damage.damages().getFirst();
            Ledger.check(only.file().equals(segment.name()), "%s is said, but it is in %s", only, segment);
            if (position < Segment.HEADER) {
                Ledger.check(only.position() == 0 && only.count() == 0, "%s is said of a header", only);
            } else {
                Ledger.check(hit != null && only.position() == hit.position() && only.first() == hit.revision()
                        && only.last() == hit.revision(), "%s is said of %s", only, hit);
            }
            return;
        }
        if (hit != null && hit.revision() > applied && !lastBatch) {
            Ledger.check(false, "no check missed %s", hit);
        }
        int count = now.replayed().size();
        Ledger.check(count <= sound.replayed().size() && now.replayed().equals(sound.replayed().subList(0, count)),
                "after a change at byte %d of %s, %s is replayed", position, segment, now.replayed());
        Ledger.check(count == sound.replayed().size()
                || (hit != null && lastBatch && hit.revision() == applied + count + 1),
                "%d of %d are replayed, and byte %d of %s is not to blame", count, sound.replayed().size(), position,
                segment);
    }
}
