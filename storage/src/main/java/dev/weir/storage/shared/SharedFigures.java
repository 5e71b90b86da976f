package dev.weir.storage.shared;

/**
 * The state of a node.
 *
 * @param node its random name
 * @param engine where the hashes are shared, without passwords
 * @param unsent number of updates in the log that the engine lacks
 * @param received number of changes that came from the engine since the start
 * @param rejoined number of times since the start at which the node compared everything, because the engine had lost
 *            changes or the node had missed some; the first start of a node counts, too
 * @param sendingFailure why the engine takes no updates at present; empty if it does
 * @param listeningFailure why the node does not hear from the others at present; empty if it does
 * @param whole whether the node has everything that the engine had at some time
 */
public record SharedFigures(String node, String engine, long unsent, long received, long rejoined,
        String sendingFailure, String listeningFailure, boolean whole) {}
