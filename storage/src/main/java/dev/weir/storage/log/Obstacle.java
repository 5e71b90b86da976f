package dev.weir.storage.log;

/** Why an update log takes no updates. */
public enum Obstacle {
    /** The disk has too little room. */
    DISK("the disk has too little room"),
    /** The log has its greatest length, since the database has not caught up. */
    DATABASE("the database is too far behind the log"),
    /** A file cannot be written. */
    FAILURE("the log cannot be written");

    private final String description;

    Obstacle(String description) {
        this.description = description;
    }

    /** Half a sentence, without anything of the machine. */
    public String description() {
        return description;
    }
}
