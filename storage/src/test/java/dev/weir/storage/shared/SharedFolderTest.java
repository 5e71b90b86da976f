package dev.weir.storage.shared;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.engine.FolderStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What the folder of a node says about its engine while the node does not run. */
class SharedFolderTest {
    private static final SharedSettings ENGINE = SharedSettings.at(new EngineAddress("127.0.0.1", 1));

    @TempDir
    private Path folder = Path.of("");

    private FolderStore alone() throws StorageException {
        return FolderStore.of(DataFolder.openStore(folder), Optional.empty());
    }

    @Test
    void toolsAndTheNodeKeepWhatTheEngineMayLack() throws Exception {
        try (FolderStore tool = FolderStore.open(folder)) {
            assertThat(tool.engineHas()).as("never shared").isEmpty();
        }
        SharedPosition.begin("0123456789abcdef", 42, 3).write(folder.resolve(DataFolder.SHARED));
        try (FolderStore tool = FolderStore.open(folder)) {
            assertThat(tool.engineHas()).hasValue(42);
        }
        try (FolderStore node = alone().sharedWith(ENGINE)) {
            assertThat(node.engineHas()).hasValue(42);
        }
        try (FolderStore alone = alone()) {
            assertThat(alone.engineHas()).as("no longer shared").isEmpty();
        }
    }

    @Test
    void aDamagedPositionIsAnError() throws Exception {
        Files.writeString(folder.resolve(DataFolder.SHARED), "weir shared 0\n");
        try (FolderStore tool = FolderStore.open(folder)) {
            assertThatExceptionOfType(StorageException.class).isThrownBy(tool::engineHas);
        }
    }
}
