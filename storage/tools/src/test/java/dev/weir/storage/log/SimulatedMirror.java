package dev.weir.storage.log;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import dev.weir.model.Digest;
import dev.weir.storage.StorageException;
import dev.weir.storage.database.DatabaseFile;
import dev.weir.storage.database.FileState;
import dev.weir.storage.database.HashDatabase;
import dev.weir.storage.database.IntegrityCheck;
import dev.weir.storage.mirror.MirrorPlace;
import dev.weir.storage.view.AuditQuery;
import dev.weir.storage.view.StorageView;

/** The place of a simulated backend, which is built again as a real one is: with every update that is on disk. */
final class SimulatedMirror implements MirrorPlace, DatabaseFile {
    private final SimulatedBackend mirror;
    private final Faults faults;
    private final BooleanSupplier building;

    /** @param building brings the ledger up to date; returns whether every update is on disk */
    SimulatedMirror(SimulatedBackend mirror, Faults faults, BooleanSupplier building) {
        this.mirror = mirror;
        this.faults = faults;
        this.building = building;
    }

    @Override
    public DatabaseFile backend() {
        return this;
    }

    @Override
    public Optional<String> adoption() {
        return Optional.empty();
    }

    @Override
    public void opening() {
        // Nothing shows whether the place was changed.
    }

    @Override
    public void closed() {
        // Nothing shows whether the place was changed.
    }

    @Override
    public void build(BooleanSupplier stopped) throws StorageException {
        if (!building.getAsBoolean()) {
            throw new StorageException("some updates are not on disk yet");
        }
        if (mirror.isDown()) {
            throw new StorageException("down");
        }
        faults.note(Fault.MIRROR_BUILT);
        mirror.rebuild();
    }

    @Override
    public String name() {
        return "the simulated mirror";
    }

    @Override
    public boolean exists() {
        return true;
    }

    @Override
    public HashDatabase open() {
        return mirror;
    }

    @Override
    public HashDatabase reopen() {
        return mirror;
    }

    @Override
    public Optional<FileState> fingerprint() {
        return Optional.empty();
    }

    @Override
    public Optional<Object> identity() {
        return Optional.empty();
    }

    @Override
    public IntegrityCheck integrityCheck() {
        return IntegrityCheck.NONE;
    }

    @Override
    public void delete() {
        throw new UnsupportedOperationException();
    }

    @Override
    public StorageView view() {
        return new StorageView() {
            @Override
            public boolean hasState() {
                return true;
            }

            @Override
            public long storageId() {
                return mirror.storageId();
            }

            @Override
            public long revision() {
                return mirror.revision();
            }

            @Override
            public long count() {
                return mirror.count();
            }

            @Override
            public List<String> damages() {
                return List.of();
            }

            @Override
            public List<String> leftovers() {
                return List.of();
            }

            @Override
            public void audit(AuditQuery query, Consumer<LoggedUpdate> target) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void audit(long before, Set<Digest> digests, Consumer<LoggedUpdate> target) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void copyTo(Path target) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void close() {
                // It outlives the view.
            }
        };
    }
}
