package dev.weir.storage.log;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

import dev.weir.storage.StorageException;

/**
 * A test that makes one sector of a copy of a disk unreadable and reads the log there. Only the updates in the block of
 * that sector may be lost, and they must be named. Updates that the backend has are not missed.
 */
final class BadSectors {
    private final SplittableRandom random;
    private final Faults faults;

    BadSectors(SplittableRandom random, Map<Fault, Long> counts) {
        this.random = random;
        this.faults = new Faults(random, counts);
    }

    /** The result of a scan after the backend's revision. */
    private record Found(Map<Long, LoggedUpdate> updates, List<LogDamage> damages) {}

    /** Runs with a certain probability. */
    void tryOn(SimulatedDisk disk, LogLimits limits, long applied, SimulatedClock clock) {
        if (random.nextInt(3) > 0) {
            return;
        }
        try {
            BitFlips.Content content = BitFlips.content(disk.copy(faults));
            if (content.segments().isEmpty()) {
                return;
            }
            Found sound = scan(disk.copy(faults), applied);
            Ledger.check(sound.damages().isEmpty(), "a sound log is called damaged: %s", sound.damages());
            Segment segment = content.segments().get(random.nextInt(content.segments().size()));
            int sector = place(content, segment, disk.size(segment.name())) / SimulatedFile.SECTOR;
            SimulatedDisk spoiled = disk.copy(faults);
            spoiled.spoil(segment.name(), sector * SimulatedFile.SECTOR);
            Found found = scan(spoiled, applied);
            ForcedMark.Forced forced = ForcedMark.read(spoiled, SimulatedBackend.ID);
            check(content, segment, sector * SimulatedFile.SECTOR,
                    forced.isExact() ? forced.revision() : Long.MAX_VALUE, sound, found);
            boolean starts = starts(spoiled, limits, applied, clock);
            Ledger.check(starts == found.damages().isEmpty(), "it starts: %s, with %s", starts, found.damages());
        } catch (IOException | StorageException e) {
            throw new AssertionError("a sector cannot be read, and this came of it", e);
        }
    }

    /** Returns a position, usually inside a record or at the end of the records. */
    private int place(BitFlips.Content content, Segment segment, int size) {
        List<BitFlips.Place> places = content.places().stream().filter(place -> place.segment().equals(segment))
                .toList();
        if (places.isEmpty() || random.nextInt(4) == 0) {
            return random.nextInt(Math.max(1, size));
        }
        BitFlips.Place place = places.get(random.nextInt(places.size()));
        return (int) Math.min(random.nextBoolean() ? place.position() : place.end(), size - 1);
    }

    private static Found scan(SimulatedDisk disk, long applied) throws IOException, StorageException {
        Map<Long, LoggedUpdate> updates = new HashMap<>();
        LogScan scan = new LogScan(disk, SimulatedBackend.ID, applied, ForcedMark.read(disk, SimulatedBackend.ID),
                update -> {
                    if (update.revision() > applied) {
                        updates.put(update.revision(), update);
                    }
                });
        scan.run(Segment.needed(Segment.among(disk.names()), applied));
        return new Found(updates, List.copyOf(scan.damages()));
    }

    private static boolean starts(SimulatedDisk disk, LogLimits limits, long applied, SimulatedClock clock)
            throws StorageException {
        try (UpdateLog log = UpdateLog.open(disk, limits, SimulatedBackend.ID, applied, clock, next -> {},
                update -> {});
                LogReader reader = log.reader(applied + 1)) {
            long left = log.durable() - applied;
            int read = 0;
            for (List<LoggedUpdate> some = reader.read(5); !some.isEmpty(); some = reader.read(5)) {
                read += some.size();
            }
            Ledger.check(read == left, "%d of %d can be fed to the backend", read, left);
            return true;
        } catch (LogDamagedException e) {
            return false;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Checks the result. No client got a reply to updates after {@code acknowledged}, so they may be missing. */
    private void check(BitFlips.Content content, Segment segment, int from, long acknowledged, Found sound,
            Found found) {
        int end = from / PatchedFile.BLOCK * PatchedFile.BLOCK + PatchedFile.BLOCK;
        List<Long> hit = new ArrayList<>();
        for (BitFlips.Place place : content.places()) {
            if (place.segment().equals(segment) && place.position() < end && from < place.end()) {
                hit.add(place.revision());
            }
        }
        boolean open = found.damages().stream().anyMatch(LogDamage::open);
        faults.note(open
                ? Fault.BAD_SECTOR_AT_END
                : found.damages().isEmpty() ? Fault.BAD_SECTOR_ELSEWHERE : Fault.BAD_SECTOR_IN_RECORD);
        for (LoggedUpdate update : sound.updates().values()) {
            long revision = update.revision();
            if (revision > acknowledged) {
                continue;
            }
            boolean there = update.equals(found.updates().get(revision));
            Ledger.check(there || hit.contains(revision), "update %d is lost to byte %d of %s", revision, from,
                    segment);
            boolean named = found.damages().stream().anyMatch(damage -> damage.first() <= revision
                    && (damage.open() || revision <= damage.last()));
            Ledger.check(there != named, "update %d: there %s, named %s by %s", revision, there, named,
                    found.damages());
        }
        Ledger.check(!found.damages().isEmpty() || sound.updates().entrySet().containsAll(found.updates().entrySet()),
                "there is more than there was");
    }
}
