package dev.weir.os;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * The service manager that started this process and wants to know its state (sd_notify(3)): systemd, or another program
 * that sets {@value #VARIABLE}. For any thread.
 */
public final class ServiceManager {
    /** The environment variable that names the socket. */
    public static final String VARIABLE = "NOTIFY_SOCKET";

    /** The environment variables that ask for a sign of life (sd_watchdog_enabled(3)). */
    private static final String WATCHDOG = "WATCHDOG_USEC";
    private static final String WATCHDOG_PROCESS = "WATCHDOG_PID";

    private final UnixDatagrams socket;

    private ServiceManager(UnixDatagrams socket) {
        this.socket = socket;
    }

    /**
     * Returns the manager that listens on a socket.
     *
     * @param socket a path, or {@code @} and an abstract name; null if there is no manager
     * @return empty if there is no manager, or if this platform cannot reach it
     */
    public static Optional<ServiceManager> at(@Nullable String socket) {
        return Optional.ofNullable(socket).flatMap(UnixDatagrams::to).map(ServiceManager::new);
    }

    /**
     * Returns the time after which the manager restarts this process if it has not sent {@code WATCHDOG=1} again.
     *
     * @param environment the environment of the process
     * @param process the id of this process; the manager may mean another one
     * @return empty if the manager does not watch this process; otherwise at least a microsecond
     */
    public static Optional<Duration> watchdog(Map<String, String> environment, long process) {
        String time = environment.get(WATCHDOG);
        if (time == null || !environment.getOrDefault(WATCHDOG_PROCESS, Long.toString(process))
                .equals(Long.toString(process))) {
            return Optional.empty();
        }
        try {
            long micros = Long.parseLong(time);
            return micros > 0 ? Optional.of(Duration.of(micros, ChronoUnit.MICROS)) : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /**
     * Sends a state, such as {@code READY=1}.
     *
     * @throws IOException if the manager does not accept it, with the reason of the system
     */
    public void send(String state) throws IOException {
        socket.send(state.getBytes(StandardCharsets.UTF_8));
    }
}
