import com.sun.tools.javac.launcher.Main;

/** Compiles and runs Java files one after the other, as `java FILE` does, without a new JVM for each. */
public class RunAll {
    public static void main(String[] files) throws Exception {
        for (String file : files) new Main(System.err).run(new String[0], new String[] { file });
    }
}
