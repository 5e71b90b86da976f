package dev.weir.cli.client;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

import dev.weir.cli.socket.ControlClient;
import dev.weir.cli.socket.ControlSocketPlace;
import dev.weir.scan.explain.Doctor;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.transfer.carry.CarryOver;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/**
 * What {@code weir doctor} finds in the data folder of a storage on this machine: what a running storage reports as
 * trouble, or why a stopped one would not start.
 */
final class StorageExamination {
    private static final Logger LOG = LoggerFactory.getLogger(StorageExamination.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final Path folder;
    private final boolean followed;
    private final Consumer<Doctor.Finding> target;

    /**
     * Prepares the examination of a folder.
     *
     * @param followed whether the database of the folder follows its store
     */
    StorageExamination(Path folder, boolean followed, Consumer<Doctor.Finding> target) {
        this.folder = folder.toAbsolutePath().normalize();
        this.followed = followed;
        this.target = target;
    }

    /** Reports each trouble, or that there is none. */
    void run() {
        Path socket = ControlSocketPlace.in(folder);
        try {
            JsonNode reply = new ControlClient(socket, TIMEOUT).ask("/status");
            running(reply);
        } catch (IOException e) {
            LOG.debug("{} does not answer", socket, e);
            stopped(socket);
        }
    }

    private void running(JsonNode reply) {
        String what = "the storage of " + folder + " is healthy";
        boolean healthy = true;
        for (JsonNode worker : reply.path("workers")) {
            for (JsonNode trouble : worker.path("troubles")) {
                target.accept(new Doctor.Finding(Doctor.State.FAILS, what, trouble.asString("")));
                healthy = false;
            }
        }
        if (healthy) {
            target.accept(new Doctor.Finding(Doctor.State.HOLDS, what, ""));
        }
    }

    private void stopped(Path socket) {
        if (!DataFolder.hasStore(folder)) {
            target.accept(new Doctor.Finding(Doctor.State.UNTESTED, "the folder " + folder + " is not tested: no "
                    + "storage of Weir has run there, or this user may not read it", ""));
            return;
        }
        String what = "the storage of " + folder + ", which does not answer at " + socket
                + ", can start with its database";
        try {
            Optional<String> refusal = followed ? CarryOver.refusal(folder) : Optional.empty();
            target.accept(new Doctor.Finding(refusal.isEmpty() ? Doctor.State.HOLDS : Doctor.State.FAILS, what,
                    refusal.orElse("")));
        } catch (StorageException e) {
            target.accept(new Doctor.Finding(Doctor.State.FAILS, what, String.valueOf(e.getMessage())));
        }
    }
}
