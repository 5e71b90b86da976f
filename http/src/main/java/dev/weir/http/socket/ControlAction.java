package dev.weir.http.socket;

import java.util.Map;

/** An action that one path of the control socket triggers. May be called by several threads at once. */
@FunctionalInterface
public interface ControlAction {
    /**
     * Does it.
     *
     * @param query the parameters behind the path; of one that is repeated the last
     * @throws RuntimeException any; the client is told that the command failed, and the log why
     */
    ControlReply run(Map<String, String> query);
}
