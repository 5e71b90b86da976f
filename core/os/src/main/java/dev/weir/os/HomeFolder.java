package dev.weir.os;

import java.nio.file.Path;
import java.util.Map;

/** The home folder of a user. Java takes it from the user database, but a person or a service may set {@code HOME}. */
public final class HomeFolder {
    private HomeFolder() {}

    /** Returns the folder that {@code HOME} names, else that of the user database. */
    public static Path of(Map<String, String> environment) {
        String home = environment.getOrDefault("HOME", "");
        return Path.of(home.startsWith("/") ? home : System.getProperty("user.home", "/"));
    }
}
