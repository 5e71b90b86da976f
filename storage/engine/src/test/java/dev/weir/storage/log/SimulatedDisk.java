package dev.weir.storage.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A folder whose calls fail according to its {@link Faults}, and which loses unsynced data when the power fails.
 *
 * <p>Unsynced names are kept up to some point in the order of their changes, as ext4 and XFS do with their journals.
 * Sometimes, more harshly, each of them is kept or lost independently, as without a journal. A rename is always atomic.
 * After {@link #kill}, everything that was written is there, synced or not.
 */
final class SimulatedDisk implements Disk {
    /** A receiver of events. */
    interface Watcher {
        /** Follows nothing. */
        Watcher NONE = new Watcher() {
            @Override
            public void writes(ByteBuffer bytes, long position) {
                // No test follows what is written.
            }

            @Override
            public void begun(Segment segment) {
                // No test follows which segments there are.
            }
        };

        /** Called before bytes are written at a position. */
        void writes(ByteBuffer bytes, long position);

        /** A segment has its name for good. */
        void begun(Segment segment);
    }

    private final Faults faults;
    private final Watcher watcher;
    private final Map<String, SimulatedFile> names = new TreeMap<>();
    private final Map<String, SimulatedFile> lastingNames = new TreeMap<>();
    private final List<Map<String, Optional<SimulatedFile>>> unforced = new ArrayList<>();
    private final Set<Handle> open = new HashSet<>();
    private long capacity = Long.MAX_VALUE;
    private boolean tellsUsable = true;
    private long fuse = Long.MAX_VALUE;
    private boolean dead;
    private Optional<Segment> named = Optional.empty();
    private boolean dropped;
    private boolean scatteredNames;
    private long forceNanos;
    private boolean dropNext;
    private long boots;

    /** Claims by {@link #share}. */
    private int claims;

    SimulatedDisk(Faults faults, Watcher watcher) {
        this.faults = faults;
        this.watcher = watcher;
    }

    /** Returns another disk with the files that processes see on this one, all synced. */
    SimulatedDisk copy(Faults otherFaults) {
        SimulatedDisk copy = new SimulatedDisk(otherFaults, Watcher.NONE);
        names.forEach((name, file) -> copy.names.put(name, file.copy()));
        copy.lastingNames.putAll(copy.names);
        copy.boots = boots;
        return copy;
    }

    // ---- events of the machine ----

    /** Sets the capacity, and whether the disk reports it or other programs use the space unnoticed. */
    void capacity(long bytes, boolean tells) {
        capacity = bytes;
        tellsUsable = tells;
    }

    /** Returns the size of all files in bytes. */
    long used() {
        return names.values().stream().mapToLong(SimulatedFile::size).sum();
    }

    /** Ends the process at the last of a number of calls. */
    void cutAfter(int calls) {
        fuse = calls;
    }

    /** Cancels the end, unless the process has ended, which an earlier failure in the same call may have hidden. */
    void cutNever() {
        if (dead) {
            throw new PowerCut();
        }
        fuse = Long.MAX_VALUE;
    }

    /** Returns whether a failed sync ever forgot unwritten data. */
    boolean hasDropped() {
        return dropped;
    }

    /** Returns whether the disk ever forgot unwritten data, or lost changes of names but kept earlier ones. */
    boolean isForgetful() {
        return dropped || scatteredNames;
    }

    int size(String name) {
        return file(name).size();
    }

    /** Returns what a process reads in a file. */
    byte[] content(String name) {
        return file(name).visible();
    }

    /** Returns the names that a process sees, without failures. */
    List<String> fileNames() {
        return List.copyOf(names.keySet());
    }

    /** Returns the contents that a synced file of some name can have when the process or the machine ends now. */
    List<byte[]> outcomes(String name) {
        Set<SimulatedFile> files = new HashSet<>();
        files.add(names.get(name));
        files.add(lastingNames.get(name));
        unforced.forEach(change -> change.getOrDefault(name, Optional.empty()).ifPresent(files::add));
        files.remove(null);
        return files.stream().flatMap(file -> Stream.of(file.visible(), file.lasting())).toList();
    }

    /** Sets the duration of a sync. */
    void forceTakes(Duration time) {
        forceNanos = time.toNanos();
    }

    /** Makes the next sync of a file fail and forget everything that it should have written. */
    void dropNextForce() {
        dropNext = true;
    }

    int openFiles() {
        return open.size();
    }

    /** Changes bits of a file on the disk. */
    void flip(String name, int position, int bits) {
        file(name).flip(position, bits);
    }

    /** Loses a file. */
    void lose(String name) {
        names.remove(name);
        lastingNames.remove(name);
    }

    /** Cuts a file off. */
    void cut(String name, int size) {
        file(name).truncate(size);
    }

    /** Makes the sector at a position unreadable until it is written. */
    void spoil(String name, int position) {
        file(name).spoil(position);
    }

    private SimulatedFile file(String name) {
        SimulatedFile file = names.get(name);
        if (file == null) {
            throw new IllegalArgumentException(name);
        }
        return file;
    }

    /** Kills the process. */
    void kill() {
        open.forEach(handle -> handle.stale = true);
        open.clear();
        dead = false;
        named = Optional.empty();
        fuse = Long.MAX_VALUE;
        if (faults.rate() > 0 && faults.coin()) {
            names.values().forEach(file -> file.evict(faults));
        }
    }

    /** Cuts the power. */
    void crash() {
        boots++;
        open.forEach(handle -> handle.stale = true);
        open.clear();
        dead = false;
        named = Optional.empty();
        fuse = Long.MAX_VALUE;
        boolean scattered = faults.below(4) == 0;
        int kept = faults.below(unforced.size() + 1);
        for (int i = 0; i < unforced.size(); i++) {
            if (scattered ? faults.coin() : i < kept) {
                apply(unforced.get(i));
                if (scattered && i > 0) {
                    scatteredNames = true;
                    faults.note(Fault.SCATTERED_NAMES);
                }
            } else {
                faults.note(Fault.LOST_NAME);
            }
        }
        unforced.clear();
        names.clear();
        names.putAll(lastingNames);
        names.values().forEach(file -> file.crash(faults));
    }

    private void apply(Map<String, Optional<SimulatedFile>> change) {
        change.forEach((name, file) -> {
            if (file.isPresent()) {
                lastingNames.put(name, file.get());
            } else {
                lastingNames.remove(name);
            }
        });
    }

    // ---- calls of processes ----

    /** Returns whether the process ends within this call. Does not return if it has already ended. */
    private boolean isCut() {
        if (dead) {
            throw new PowerCut();
        }
        fuse--;
        dead = fuse <= 0;
        return dead;
    }

    private void call(Fault fault) throws IOException {
        if (isCut()) {
            throw new PowerCut();
        }
        if (faults.happens(fault)) {
            throw new IOException(fault.name());
        }
    }

    @Override
    public List<String> names() throws IOException {
        call(Fault.NAMES_ERROR);
        List<String> list = new ArrayList<>(names.keySet());
        Collections.shuffle(list, new Random(faults.below(1 << 20)));
        return list;
    }

    @Override
    public DiskFile create(String name) throws IOException {
        if (names.containsKey(name)) {
            throw new FileAlreadyExistsException(name);
        }
        change(Fault.CREATE_ERROR, Map.of(name, Optional.of(new SimulatedFile())));
        return handle(name);
    }

    @Override
    public DiskFile open(String name) throws IOException {
        call(Fault.OPEN_ERROR);
        return handle(name);
    }

    private DiskFile handle(String name) throws IOException {
        SimulatedFile file = names.get(name);
        if (file == null) {
            throw new NoSuchFileException(name);
        }
        Handle handle = new Handle(file);
        open.add(handle);
        return handle;
    }

    @Override
    public void rename(String from, String to) throws IOException {
        SimulatedFile file = names.get(from);
        if (file == null) {
            throw new NoSuchFileException(from);
        }
        Map<String, Optional<SimulatedFile>> change = new HashMap<>();
        change.put(from, Optional.empty());
        change.put(to, Optional.of(file));
        change(Fault.RENAME_ERROR, change);
        named = Segment.among(List.of(to)).stream().findFirst();
    }

    @Override
    public void delete(String name) throws IOException {
        if (names.containsKey(name)) {
            change(Fault.DELETE_ERROR, Map.of(name, Optional.empty()));
        } else {
            call(Fault.DELETE_ERROR);
        }
    }

    /** Changes names. An error does not reveal whether the change was made, and neither does the end of the process. */
    private void change(Fault fault, Map<String, Optional<SimulatedFile>> change) throws IOException {
        boolean cut = isCut();
        boolean fails = !cut && faults.happens(fault);
        if ((!cut && !fails) || faults.coin()) {
            change.forEach((name, file) -> {
                if (file.isPresent()) {
                    names.put(name, file.get());
                } else {
                    names.remove(name);
                }
            });
            unforced.add(change);
        }
        if (cut) {
            throw new PowerCut();
        }
        if (fails) {
            throw new IOException(fault.name());
        }
    }

    @Override
    public void force() throws IOException {
        if (isCut()) {
            throw new PowerCut();
        }
        if (faults.happens(Fault.FOLDER_FORCE_ERROR)) {
            int kept = faults.below(unforced.size() + 1);
            unforced.subList(0, kept).forEach(this::apply);
            unforced.subList(0, kept).clear();
            throw new IOException(Fault.FOLDER_FORCE_ERROR.name());
        }
        unforced.forEach(this::apply);
        unforced.clear();
        named.ifPresent(watcher::begun);
        named = Optional.empty();
    }

    /** The claim of another process survives the end of this one. */
    @Override
    public Closeable share() {
        claims++;
        return () -> claims--;
    }

    @Override
    public boolean alone(Action action) throws IOException {
        if (claims > 0) {
            return false;
        }
        action.run();
        faults.note(Fault.SEGMENT_REUSED);
        return true;
    }

    @Override
    public long usable() throws IOException {
        call(Fault.USABLE_ERROR);
        return tellsUsable ? Math.max(0, capacity - used()) : Long.MAX_VALUE;
    }

    @Override
    public UUID boot() {
        return new UUID(0, boots);
    }

    @Override
    public String describe(String name) {
        return name;
    }

    private final class Handle implements DiskFile {
        private final SimulatedFile file;
        private boolean stale;

        /** The position at which the rest of a short write belongs. */
        private long continued = -1;

        Handle(SimulatedFile file) {
            this.file = file;
        }

        private void check() {
            if (stale) {
                throw new IllegalStateException("a file is used after it was closed");
            }
        }

        @Override
        public long size() throws IOException {
            check();
            call(Fault.SIZE_ERROR);
            return file.size();
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            check();
            call(Fault.READ_ERROR);
            int most = target.remaining() > 1 && faults.happens(Fault.SHORT_READ)
                    ? 1 + faults.below(target.remaining() - 1)
                    : Integer.MAX_VALUE;
            return file.read(target, position, most);
        }

        @Override
        public int write(ByteBuffer source, long position) throws IOException {
            check();
            boolean cut = isCut();
            int wanted = source.remaining();
            if (position != continued) {
                watcher.writes(source.duplicate().order(ByteOrder.LITTLE_ENDIAN), position);
            }
            int free = Math.clamp(capacity - used() + file.size() - position, 0, wanted);
            boolean fails = !cut && faults.happens(Fault.WRITE_ERROR);
            boolean partly = cut || fails || (wanted > 1 && faults.happens(Fault.SHORT_WRITE));
            int count = Math.min(free, partly ? faults.below(wanted) + (cut || fails ? 0 : 1) : wanted);
            file.write(source, (int) position, count);
            continued = count < wanted ? position + count : -1;
            if (cut) {
                throw new PowerCut();
            }
            if (fails) {
                throw new IOException(Fault.WRITE_ERROR.name());
            }
            if (count == 0 && wanted > 0) {
                faults.refuse(Fault.DISK_FULL);
                throw new IOException(Fault.DISK_FULL.name());
            }
            return count;
        }

        @Override
        public void truncate(long size) throws IOException {
            check();
            call(Fault.TRUNCATE_ERROR);
            file.truncate((int) size);
        }

        /** As a write past the page cache: only what it wrote lasts. */
        @Override
        public void writeForced(ByteBuffer source, long position) throws IOException {
            int end = (int) position + source.remaining();
            writeFully(source, position);
            failToForce();
            file.force((int) position, end);
        }

        @Override
        public void force() throws IOException {
            failToForce();
            file.force();
        }

        private void failToForce() throws IOException {
            check();
            for (long end = System.nanoTime() + forceNanos; end - System.nanoTime() > 0;) {
                LockSupport.parkNanos(this, end - System.nanoTime());
            }
            if (isCut()) {
                throw new PowerCut();
            }
            if (dropNext) {
                dropNext = false;
                file.forceNothing();
                throw new IOException(Fault.FORCE_ERROR_DROPS.name());
            }
            for (Fault fault : List.of(Fault.FORCE_ERROR_DROPS, Fault.FORCE_ERROR_KEEPS)) {
                if (faults.happens(fault)) {
                    boolean drops = fault == Fault.FORCE_ERROR_DROPS;
                    dropped |= drops;
                    file.forceFailing(faults, drops);
                    throw new IOException(fault.name());
                }
            }
        }

        @Override
        public void close() throws IOException {
            if (stale) {
                return;
            }
            stale = true;
            open.remove(this);
            call(Fault.CLOSE_ERROR);
        }
    }
}
