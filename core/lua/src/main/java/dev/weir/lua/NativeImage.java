package dev.weir.lua;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;

import dev.weir.os.Platform;
import org.jspecify.annotations.Nullable;

/** The shared library of LuaJIT. It is a resource of its jar, and loading it requires a temporary file. */
final class NativeImage {
    /** System property that names the folder of the temporary file; the default is the system's temporary folder. */
    private static final String FOLDER = "weir.native.folder";
    private static final String CHOICE = "; set WEIR_NATIVE_DIR to a writable folder from which programs can"
            + " be run (not mounted noexec)";

    private NativeImage() {}

    /** Returns the name of the library for a system, or null if there is none; only 64-bit systems are supported. */
    static @Nullable String resource(String system, String processor) {
        String os = system.toLowerCase(Locale.ROOT);
        String arm = switch (Platform.architecture(processor)) {
            case AMD64 -> "";
            case ARM64 -> "arm";
            case OTHER -> null;
        };
        if (arm == null) {
            return null;
        }
        if (os.startsWith("linux")) {
            return "libluajit" + arm + "64.so";
        }
        if (os.startsWith("mac")) {
            return "libluajit" + arm + "64.dylib";
        }
        return os.startsWith("windows") ? "luajit" + arm + "64.dll" : null;
    }

    /**
     * Loads the library for the lifetime of the process.
     *
     * @throws IOException if there is none for this machine or it cannot be loaded
     */
    @SuppressWarnings("restricted")
    static SymbolLookup load() throws IOException {
        String system = System.getProperty("os.name", "");
        String processor = System.getProperty("os.arch", "");
        String resource = resource(system, processor);
        if (resource == null) {
            throw new IOException("no LuaJIT for " + system + " on " + processor);
        }
        Path folder = Path.of(System.getProperty(FOLDER, System.getProperty("java.io.tmpdir", "/tmp")));
        Path file;
        try {
            file = Files.createTempFile(folder, "weir-luajit", resource.substring(resource.lastIndexOf('.')));
        } catch (IOException e) {
            throw new IOException("cannot create a file in " + folder + CHOICE, e);
        }
        try (InputStream in = NativeImage.class.getResourceAsStream("/" + resource)) {
            if (in == null) {
                throw new IOException(resource + " is missing from the class path");
            }
            Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
            return SymbolLookup.libraryLookup(file, Arena.global());
        } catch (IllegalArgumentException e) {
            throw new IOException("cannot load the library from " + folder + CHOICE, e);
        } finally {
            // A loaded library does not need its file anymore, except on Windows, which keeps it until the process
            // ends.
            if (!file.toFile().delete()) {
                file.toFile().deleteOnExit();
            }
        }
    }
}
