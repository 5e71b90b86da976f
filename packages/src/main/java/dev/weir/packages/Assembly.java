package dev.weir.packages;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Runs the script {@code assemble} with the JDK and the class path of this process, because Maven chooses both. */
final class Assembly {
    private Assembly() {}

    /** @param args the script and its arguments, without the JDK and the class path */
    static void main(String... args) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(args));
        command.add(System.getProperty("java.home"));
        command.add(System.getProperty("java.class.path"));
        System.exit(new ProcessBuilder(command).inheritIO().start().waitFor());
    }
}
