package dev.weir.storage.log;

import java.nio.file.Path;

import org.junit.jupiter.api.io.TempDir;

class FolderDiskContractTest extends DiskContract {
    @TempDir
    Path folder = Path.of("");

    @Override
    Disk empty() {
        return FolderDisk.of(folder);
    }
}
