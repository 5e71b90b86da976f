package dev.weir.os;

import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A separate process that holds a shared lock on a file, which requires only read access. */
final class LockHolder {
    private LockHolder() {}

    /** Holds the lock on the file in the first argument until standard input ends. */
    public static void main(String[] arguments) throws Exception {
        try (FileChannel channel = FileChannel.open(Path.of(arguments[0]), StandardOpenOption.READ);
                var lock = channel.lock(0, Long.MAX_VALUE, true)) {
            System.out.println(lock.isShared() ? "held" : "not shared");
            System.in.transferTo(OutputStream.nullOutputStream());
        }
    }
}
