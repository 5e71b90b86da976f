package dev.weir.testkit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Assumptions;

/**
 * The programs that tests need and that a system may lack. A test without its program is skipped with the reason. Where
 * a skip must not go unnoticed, the system property {@value #ALLOWED} names the programs that may be missing, separated
 * by commas; a test without any other program fails.
 */
public final class Installed {
    /** The system property. Without it, any program may be missing. */
    public static final String ALLOWED = "weir.skips.allowed";

    private Installed() {}

    /** Skips the calling test, or lets it fail, if a program of a Debian package is not on the path. */
    public static void require(String program, String debianPackage) {
        require(isOnPath(program), program, notInstalled(program, debianPackage));
    }

    /** Skips the calling test, or lets it fail, if a program of a Debian package is not at its place. */
    public static void require(Path program, String debianPackage) {
        String name = String.valueOf(program.getFileName());
        require(Files.isExecutable(program), name, notInstalled(program.toString(), debianPackage));
    }

    /**
     * Skips the calling test, or lets it fail, if a program is missing.
     *
     * @param program the name that the property may have
     * @param reason what is missing, and how to get it
     */
    public static void require(boolean there, String program, String reason) {
        if (there) {
            return;
        }
        String allowed = System.getProperty(ALLOWED);
        if (allowed != null && !List.of(allowed.split(",")).contains(program)) {
            throw new AssertionError(reason + "; " + ALLOWED + " does not name " + program);
        }
        Assumptions.abort(reason);
    }

    private static String notInstalled(String program, String debianPackage) {
        return program + " is not installed (Debian: apt-get install " + debianPackage + ")";
    }

    private static boolean isOnPath(String program) {
        for (String folder : System.getenv().getOrDefault("PATH", "").split(":", -1)) {
            if (Files.isExecutable(Path.of(folder.isEmpty() ? "." : folder, program))) {
                return true;
            }
        }
        return false;
    }
}
